// Kuwahara filter (edge-preserving smoothing), radius 2, clamped borders.
// Blind set: class by hand; operations counted in Python for one pixel.
#include <cstdio>
#include <cfloat>
#include <cuda_runtime.h>

constexpr int WIDTH = 4096;
constexpr int HEIGHT = 4096;
constexpr int R = 2;

#define CHECK(call)                                                              \
    {                                                                            \
        const cudaError_t error = call;                                          \
        if (error != cudaSuccess) {                                              \
            printf("Error: %s:%d, %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            return 1;                                                            \
        }                                                                        \
    }

__device__ inline int clampi(int v, int lo, int hi) { return max(lo, min(v, hi)); }

__global__ void kuwahara(const float *src, float *dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;

    float bestVar = FLT_MAX;
    float bestMean = 0.f;
    const float n = (R + 1) * (R + 1);
    for (int q = 0; q < 4; q++) {
        int ox = (q & 1) ? 0 : -R;
        int oy = (q & 2) ? 0 : -R;
        float s = 0.f, ss = 0.f;
        for (int j = 0; j <= R; j++)
            for (int i = 0; i <= R; i++) {
                float v = src[clampi(y + oy + j, 0, h - 1) * w + clampi(x + ox + i, 0, w - 1)];
                s += v;
                ss += v * v;
            }
        float mean = s / n;
        float var = ss / n - mean * mean;
        if (var < bestVar) {
            bestVar = var;
            bestMean = mean;
        }
    }
    dst[y * w + x] = bestMean;
}

__global__ void testPattern(float *img, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) img[y * w + x] = ((x / 64 + y / 64) & 1) + 0.1f * ((x * 31 + y * 17) % 11);
}

int main()
{
    float *d_src, *d_dst;
    CHECK(cudaMalloc(&d_src, sizeof(float) * WIDTH * HEIGHT));
    CHECK(cudaMalloc(&d_dst, sizeof(float) * WIDTH * HEIGHT));
    dim3 threads(32, 8);
    dim3 blocks((WIDTH + 31) / 32, (HEIGHT + 7) / 8);
    testPattern<<<blocks, threads>>>(d_src, WIDTH, HEIGHT);

    cudaEvent_t t0, t1;
    cudaEventCreate(&t0);
    cudaEventCreate(&t1);
    kuwahara<<<blocks, threads>>>(d_src, d_dst, WIDTH, HEIGHT);
    cudaEventRecord(t0);
    for (int rep = 0; rep < 10; rep++)
        kuwahara<<<blocks, threads>>>(d_src, d_dst, WIDTH, HEIGHT);
    cudaEventRecord(t1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    float ms;
    cudaEventElapsedTime(&ms, t0, t1);
    printf("%.3f ms per frame\n", ms / 10);
    CHECK(cudaFree(d_src));
    CHECK(cudaFree(d_dst));
    return 0;
}
