// Gated linear unit of a transformer's feed-forward part: gate and up projection lie side by side in each row.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kTokens = 1024;
constexpr int kHidden = 2816;

__device__ __forceinline__ float silu(float v) { return v / (1.0f + __expf(-v)); }

__global__ void swiglu_forward(const float* __restrict__ gate_up, float* __restrict__ out, int hidden)
{
    const int token = blockIdx.y;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= hidden) return;
    const float* row = gate_up + (size_t)token * 2 * hidden;
    const float gate = row[j];
    const float up = row[hidden + j];
    out[(size_t)token * hidden + j] = silu(gate) * up;
}

int main()
{
    std::vector<float> host((size_t)kTokens * kHidden * 2);
    for (size_t i = 0; i < host.size(); i++) host[i] = 0.001f * (float)(rand() % 2000 - 1000);
    float *d_in, *d_out;
    cudaMalloc(&d_in, host.size() * sizeof(float));
    cudaMalloc(&d_out, host.size() / 2 * sizeof(float));
    cudaMemcpy(d_in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(256);
    dim3 grid((kHidden + block.x - 1) / block.x, kTokens);
    swiglu_forward<<<grid, block>>>(d_in, d_out, kHidden);
    std::vector<float> result(host.size() / 2);
    cudaMemcpy(result.data(), d_out, result.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", result[17]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
