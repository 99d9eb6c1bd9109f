// Camera smear along rows: 15 weights in constant memory, an image of halves.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define R 7
#define BX 128
static constexpr int WIDTH = 1920, HEIGHT = 1080;
__constant__ float taps[2 * R + 1];

__global__ void smear_rows(const half *src, half *dst)
{
    __shared__ float line[BX + 2 * R];
    const int y = blockIdx.y;
    const int first = blockIdx.x * BX - R;
    const half *row = src + y * WIDTH;
    for (int k = threadIdx.x; k < BX + 2 * R; k += BX) {
        int x = min(max(first + k, 0), WIDTH - 1);
        line[k] = __half2float(row[x]);
    }
    __syncthreads();
    float acc = 0.f;
#pragma unroll
    for (int k = -R; k <= R; ++k)
        acc += taps[k + R] * line[threadIdx.x + R + k];
    dst[y * WIDTH + blockIdx.x * BX + threadIdx.x] = __float2half_rn(acc);
}

int main()
{
    float w[2 * R + 1], sum = 0.f;
    for (int k = 0; k <= 2 * R; ++k) { w[k] = expf(-0.1f * k); sum += w[k]; }
    for (float &v : w) v /= sum;
    cudaMemcpyToSymbol(taps, w, sizeof w);
    std::vector<half> img(WIDTH * HEIGHT);
    for (size_t i = 0; i < img.size(); ++i) img[i] = __float2half((i * 2654435761u >> 20 & 1023) / 1023.f);
    half *a, *b;
    cudaMalloc(&a, WIDTH * HEIGHT * sizeof(half));
    cudaMalloc(&b, WIDTH * HEIGHT * sizeof(half));
    cudaMemcpy(a, img.data(), WIDTH * HEIGHT * sizeof(half), cudaMemcpyHostToDevice);
    smear_rows<<<dim3(WIDTH / BX, HEIGHT), BX>>>(a, b);
    cudaDeviceSynchronize();
    half v;
    cudaMemcpy(&v, b + 12345, sizeof v, cudaMemcpyDeviceToHost);
    printf("%f\n", __half2float(v));
}
