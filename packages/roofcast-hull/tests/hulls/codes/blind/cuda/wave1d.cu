#include <cuda_runtime.h>
#include <math.h>

static const int HALO = 4;
__constant__ float coef[HALO + 1];

__global__ void wave_order8(float *prev, const float *cur, int n, float v2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + HALO;
    if (i < n - HALO) {
        float lap = coef[0] * cur[i];
#pragma unroll
        for (int k = 1; k <= HALO; ++k)
            lap += coef[k] * (cur[i - k] + cur[i + k]);
        prev[i] = 2.0f * cur[i] - prev[i] + v2 * lap;
    }
}

int main(int argc, char **argv)
{
    const int n = 1 << 22;
    float c[HALO + 1] = {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560};
    cudaMemcpyToSymbol(coef, c, sizeof(c));
    float *p, *q;
    cudaMalloc(&p, n * sizeof *p);
    cudaMalloc(&q, n * sizeof *q);
    cudaMemset(p, 0, n * sizeof *p);
    cudaMemset(q, 0, n * sizeof *q);
    int threads = 512;
    int blocks = (n - 2 * HALO + threads - 1) / threads;
    for (int step = 0; step < 500; ++step) {
        wave_order8<<<blocks, threads>>>(p, q, n, 0.2f);
        float *t = p; p = q; q = t;
    }
    cudaDeviceSynchronize();
    return 0;
}
