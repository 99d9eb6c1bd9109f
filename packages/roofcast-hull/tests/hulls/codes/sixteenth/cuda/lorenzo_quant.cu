// Error-bounded compression of a field: integers of a fixed bound, then what a two-dimensional Lorenzo predictor leaves,
// computed from the input again; and how often each small residual comes.
#include <cstdio>
#include <vector>
#include <cmath>

namespace {
const int NY = 1800, NX = 3600;
const int RADIUS = 512;

__device__ __forceinline__ int quant(float v, float inv) { return __float2int_rn(v * inv); }

__global__ void lorenzo_residual(const float *__restrict__ field, int *__restrict__ resid, float inv_bound)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= NX || y >= NY) return;
    const float *p = field + (size_t)y * NX + x;
    const int here = quant(p[0], inv_bound);
    const int west = quant(p[-1], inv_bound);
    const int north = quant(p[-NX], inv_bound);
    const int both = quant(p[-NX - 1], inv_bound);
    resid[(size_t)y * NX + x] = here - west - north + both;
}

__global__ void residual_counts(const int *__restrict__ resid, unsigned *__restrict__ counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int code = resid[i] + RADIUS;
    code = min(max(code, 0), 2 * RADIUS - 1);
    atomicAdd(counts + code, 1u);
}
}

int main()
{
    std::vector<float> h((size_t)NY * NX);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) h[(size_t)y * NX + x] = 280.f + 20.f * sinf(0.003f * x) * cosf(0.005f * y);
    float *field; int *resid; unsigned *counts;
    cudaMalloc(&field, h.size() * sizeof(float));
    cudaMalloc(&resid, h.size() * sizeof(int));
    cudaMalloc(&counts, 2 * RADIUS * sizeof(unsigned));
    cudaMemset(resid, 0, h.size() * sizeof(int));
    cudaMemset(counts, 0, 2 * RADIUS * sizeof(unsigned));
    cudaMemcpy(field, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(64, 4), grid((NX - 1 + 63) / 64, (NY - 1 + 3) / 4);
    lorenzo_residual<<<grid, block>>>(field, resid, 1.0f / 0.002f);
    residual_counts<<<(NY * NX + 255) / 256, 256>>>(resid, counts, NY * NX);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
