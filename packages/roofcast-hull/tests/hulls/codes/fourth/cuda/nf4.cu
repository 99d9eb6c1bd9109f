// Weights of four bits: a table of sixteen normal quantiles and a largest value for every 64 weights.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

__constant__ float quantiles[16] = {-1.0f, -0.6962f, -0.5251f, -0.3949f, -0.2844f, -0.1848f, -0.0911f, 0.0f,
                                    0.0796f, 0.1609f, 0.2461f, 0.3379f, 0.4407f, 0.5626f, 0.7230f, 1.0f};

__global__ void dequant_nf4(const uint8_t* packed, const float* absmax, float2* out, int n_bytes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_bytes) return;
    const uint8_t b = packed[i];
    const float scale = absmax[i / 32];
    float2 v;
    v.x = quantiles[b >> 4] * scale;
    v.y = quantiles[b & 15] * scale;
    out[i] = v;
}

int main()
{
    const int weights = 4096 * 768;
    std::vector<uint8_t> h(weights / 2);
    for (size_t i = 0; i < h.size(); ++i) h[i] = (uint8_t)(i * 29);
    std::vector<float> m(weights / 64, 0.8f);
    uint8_t* packed;
    float* absmax;
    float2* out;
    cudaMalloc(&packed, h.size());
    cudaMalloc(&absmax, m.size() * sizeof(float));
    cudaMalloc(&out, weights * sizeof(float));
    cudaMemcpy(packed, h.data(), h.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(absmax, m.data(), m.size() * sizeof(float), cudaMemcpyHostToDevice);
    dequant_nf4<<<weights / 2 / 256, 256>>>(packed, absmax, out, weights / 2);
    float2 first;
    cudaMemcpy(&first, out, sizeof(first), cudaMemcpyDeviceToHost);
    printf("%f %f\n", first.x, first.y);
    cudaFree(packed);
    cudaFree(absmax);
    cudaFree(out);
    return 0;
}
