// int8 by squares of 128 x 128, each with the scale of its own largest magnitude.
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int H = 2048, W = 4096, SIDE = 128;

__global__ void quantise_squares(const float* __restrict__ a, int8_t* __restrict__ q, float* __restrict__ scale)
{
    __shared__ float top[256];
    const int x0 = blockIdx.x * SIDE, y0 = blockIdx.y * SIDE;
    float big = 0.f;
    for (int e = threadIdx.x; e < SIDE * SIDE; e += 256)
        big = fmaxf(big, fabsf(a[(y0 + e / SIDE) * W + x0 + e % SIDE]));
    top[threadIdx.x] = big;
    __syncthreads();
    for (int s = 128; s >= 1; s >>= 1) {
        if (threadIdx.x < s) top[threadIdx.x] = fmaxf(top[threadIdx.x], top[threadIdx.x + s]);
        __syncthreads();
    }
    const float inv = 127.f / top[0];
    for (int e = threadIdx.x; e < SIDE * SIDE; e += 256) {
        int at = (y0 + e / SIDE) * W + x0 + e % SIDE;
        q[at] = (int8_t)rintf(a[at] * inv);
    }
    if (threadIdx.x == 0) scale[blockIdx.y * gridDim.x + blockIdx.x] = top[0] / 127.f;
}

int main()
{
    std::vector<float> h(H * W);
    for (auto& v : h) v = (rand() % 20001 - 10000) * 1e-3f;
    float *a, *s;
    int8_t* q;
    cudaMalloc(&a, H * W * sizeof(float));
    cudaMalloc(&s, (H / SIDE) * (W / SIDE) * sizeof(float));
    cudaMalloc(&q, H * W);
    cudaMemcpy(a, h.data(), H * W * sizeof(float), cudaMemcpyHostToDevice);
    dim3 grid(W / SIDE, H / SIDE);
    quantise_squares<<<grid, 256>>>(a, q, s);
    float f;
    cudaMemcpy(&f, s, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", f);
}
