// Darcy friction factors of a table of pipes: fixed point iteration until it moves by less than tol.
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

constexpr int PIPES = 1 << 20;

__global__ void friction_factor(const float* re, const float* rel_rough, float* f, float tol)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= PIPES) return;
    float x = 8.f, prev;
    do {
        prev = x;
        x = -2.f * log10f(rel_rough[i] / 3.7f + 2.51f * prev / re[i]);
    } while (fabsf(x - prev) > tol);
    f[i] = 1.f / (x * x);
}

__global__ void head_loss(const float* f, const float* len, const float* dia, const float* vel, float* h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PIPES)
        h[i] = f[i] * len[i] / dia[i] * vel[i] * vel[i] / (2.f * 9.80665f);
}

int main()
{
    float *a[7];
    for (auto& p : a) cudaMallocManaged(&p, PIPES * sizeof(float));
    for (int i = 0; i < PIPES; ++i) {
        a[0][i] = 5e3f + 10.f * i;
        a[1][i] = 1e-5f * (1 + i % 100);
        a[3][i] = 10.f + i % 40;
        a[4][i] = 0.1f + 0.01f * (i % 30);
        a[5][i] = 1.f + 0.1f * (i % 9);
    }
    friction_factor<<<PIPES / 256, 256>>>(a[0], a[1], a[2], 1e-5f);
    head_loss<<<PIPES / 256, 256>>>(a[2], a[3], a[4], a[5], a[6]);
    cudaDeviceSynchronize();
    printf("%f %f\n", a[2][9], a[6][9]);
}
