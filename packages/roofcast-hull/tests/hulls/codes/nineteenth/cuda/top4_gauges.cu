// Four largest floods of every gauge (rows are years), then cap the record at the fourth
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int YEARS = 256;
constexpr int GAUGES = 32768;

__device__ void sink(float &slot, float &v)
{
    float hi = fmaxf(slot, v);
    v = fminf(slot, v);
    slot = hi;
}

__global__ void top_four(const float *flow, float4 *top)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= GAUGES) return;
    float a = 0.f, b = 0.f, c = 0.f, d = 0.f;
    const float *p = flow + g;
    for (int y = 0; y < YEARS; y++, p += GAUGES) {
        float v = *p;
        sink(a, v);
        sink(b, v);
        sink(c, v);
        d = fmaxf(d, v);
    }
    top[g] = make_float4(a, b, c, d);
}

__global__ void cap_record(float *flow, const float4 *top)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = blockIdx.y; y < YEARS; y += gridDim.y)
        flow[y * GAUGES + g] = fminf(flow[y * GAUGES + g], top[g].w);
}

int main()
{
    std::vector<float> f(YEARS * GAUGES);
    unsigned s = 12345;
    for (auto &v : f) { s = s * 1664525u + 1013904223u; v = (s >> 8) * 1e-4f; }
    float *flow;
    float4 *top, h;
    cudaMalloc(&flow, f.size() * sizeof(float));
    cudaMalloc(&top, GAUGES * sizeof(float4));
    cudaMemcpy(flow, f.data(), f.size() * sizeof(float), cudaMemcpyHostToDevice);
    top_four<<<GAUGES / 128, 128>>>(flow, top);
    cap_record<<<dim3(GAUGES / 256, 16), 256>>>(flow, top);
    cudaMemcpy(&h, top, sizeof h, cudaMemcpyDeviceToHost);
    printf("%f %f %f %f\n", h.x, h.y, h.z, h.w);
}
