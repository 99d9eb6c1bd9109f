// Frame of reference: each chunk of 256 integers as its minimum and 16-bit differences.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHUNK 256
#define NCHUNK 8192

__global__ void __launch_bounds__(CHUNK) for_encode(const int32_t *values, int32_t *frame, uint16_t *delta)
{
    __shared__ int32_t low[CHUNK];
    unsigned t = threadIdx.x;
    size_t g = (size_t)blockIdx.x * CHUNK + t;
    int32_t v = values[g];
    low[t] = v;
    __syncthreads();
#pragma unroll
    for (unsigned s = CHUNK / 2; s; s >>= 1) {
        if (t < s) low[t] = min(low[t], low[t + s]);
        __syncthreads();
    }
    if (t == 0) frame[blockIdx.x] = low[0];
    delta[g] = (uint16_t)(v - low[0]);
}

__global__ void for_decode(const int32_t *frame, const uint16_t *delta, int32_t *values)
{
    size_t g = (size_t)blockIdx.x * CHUNK + threadIdx.x;
    values[g] = frame[blockIdx.x] + delta[g];
}

int main()
{
    const size_t n = (size_t)CHUNK * NCHUNK;
    std::vector<int32_t> h(n), back(n);
    for (size_t i = 0; i < n; i++) h[i] = (int32_t)(i * 3 + rand() % 1000);
    int32_t *v, *f, *w; uint16_t *d;
    cudaMalloc(&v, n * sizeof(int32_t));
    cudaMalloc(&w, n * sizeof(int32_t));
    cudaMalloc(&f, NCHUNK * sizeof(int32_t));
    cudaMalloc(&d, n * sizeof(uint16_t));
    cudaMemcpy(v, h.data(), n * sizeof(int32_t), cudaMemcpyHostToDevice);
    for_encode<<<NCHUNK, CHUNK>>>(v, f, d);
    for_decode<<<NCHUNK, CHUNK>>>(f, d, w);
    cudaMemcpy(back.data(), w, n * sizeof(int32_t), cudaMemcpyDeviceToHost);
    size_t bad = 0;
    for (size_t i = 0; i < n; i++) bad += back[i] != h[i];
    printf("%zu wrong\n", bad);
    return bad != 0;
}
