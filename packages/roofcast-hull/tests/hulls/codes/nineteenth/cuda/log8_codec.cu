// 8-bit logarithmic numbers: sign, seven bits of log2 in eighths
#include <cstdio>
#include <cmath>
#include <vector>
#include <cstdint>
#include <cuda_runtime.h>
#define N (3 << 20)
#define GRID_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

__device__ uint8_t to_log8(float x)
{
    float l = rintf(log2f(fmaxf(fabsf(x), 1e-20f)) * 8.f + 64.f);
    int code = (int)fminf(fmaxf(l, 0.f), 127.f);
    return x < 0.f ? code | 128 : code;
}

__global__ void log_encode(const float *x, uint8_t *code)
{
    GRID_LOOP(i, N) code[i] = to_log8(x[i]);
}

__global__ void log_dot(const uint8_t *a, const uint8_t *b, const float *value, float *dot)
{
    __shared__ float lut[256];
    lut[threadIdx.x] = value[threadIdx.x];
    __syncthreads();
    float s = 0.f;
    GRID_LOOP(i, N) s += lut[a[i]] * lut[b[i]];
    for (int m = 16; m; m /= 2) s += __shfl_xor_sync(~0u, s, m);
    if (threadIdx.x % 32 == 0) atomicAdd(dot, s);
}

int main()
{
    std::vector<float> x(N), y(N), v(256);
    for (int i = 0; i < N; i++) { x[i] = sinf(i * 0.37f) * 3; y[i] = cosf(i * 0.11f); }
    for (int c = 0; c < 256; c++) v[c] = (c & 128 ? -1.f : 1.f) * exp2f(((c & 127) - 64) / 8.f);
    float *dx, *dy, *dv, *dot;
    uint8_t *ca, *cb;
    cudaMalloc(&dx, N * 4); cudaMalloc(&dy, N * 4); cudaMalloc(&dv, 256 * 4); cudaMalloc(&dot, 4);
    cudaMalloc(&ca, N); cudaMalloc(&cb, N);
    cudaMemcpy(dx, x.data(), N * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), N * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), 1024, cudaMemcpyHostToDevice);
    cudaMemset(dot, 0, 4);
    log_encode<<<264, 256>>>(dx, ca);
    log_encode<<<264, 256>>>(dy, cb);
    log_dot<<<264, 256>>>(ca, cb, dv, dot);
    float r;
    cudaMemcpy(&r, dot, 4, cudaMemcpyDeviceToHost);
    printf("%f\n", r);
}
