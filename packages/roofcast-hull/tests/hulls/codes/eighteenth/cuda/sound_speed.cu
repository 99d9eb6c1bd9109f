// Mackenzie (1981) on a model's own levels, temperature in C and salinity in psu, and dc/dz between levels.
#include <cstdio>
#include <cstdlib>
#include "cuda_runtime.h"

const int nx = 360, ny = 180, nz = 50;

#define IDX(k, j, i) (((k) * ny + (j)) * nx + (i))

__global__ void mackenzie(const float *T, const float *S, const float *depth, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < nx && j < ny && k < nz) {
        float t = T[IDX(k, j, i)];
        float s35 = S[IDX(k, j, i)] - 35.f;
        float z = depth[k];
        float r = 1448.96f + 4.591f * t - 5.304e-2f * t * t + 2.374e-4f * t * t * t;
        r += 1.340f * s35 + 1.630e-2f * z + 1.675e-7f * z * z;
        r -= 1.025e-2f * t * s35 + 7.139e-13f * t * z * z * z;
        c[IDX(k, j, i)] = r;
    }
}

__global__ void shear(const float *c, const float *depth, float *dcdz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z;
    if (i >= nx || j >= ny || k >= nz - 1) return;
    dcdz[IDX(k, j, i)] = (c[IDX(k + 1, j, i)] - c[IDX(k, j, i)]) / (depth[k + 1] - depth[k]);
}

int main(void)
{
    size_t bytes = (size_t)nx * ny * nz * sizeof(float);
    float *T, *S, *depth, *c, *g;
    cudaMallocManaged(&T, bytes);
    cudaMallocManaged(&S, bytes);
    cudaMallocManaged(&depth, nz * sizeof(float));
    cudaMallocManaged(&c, bytes);
    cudaMallocManaged(&g, bytes);
    for (int k = 0; k < nz; k++) {
        depth[k] = 5.f + 2.f * k * k;
        for (int q = 0; q < nx * ny; q++) {
            T[k * nx * ny + q] = 22.f / (1 + 0.1f * k) + 0.01f * (rand() % 100);
            S[k * nx * ny + q] = 34.5f + 0.005f * (rand() % 100);
        }
    }
    dim3 tb(32, 4, 2);
    dim3 tg((nx + 31) / 32, (ny + 3) / 4, (nz + 1) / 2);
    mackenzie<<<tg, tb>>>(T, S, depth, c);
    shear<<<dim3((nx + 31) / 32, (ny + 7) / 8, nz - 1), dim3(32, 8)>>>(c, depth, g);
    cudaDeviceSynchronize();
    printf("%f %f\n", c[IDX(10, 90, 180)], g[IDX(10, 90, 180)]);
    return 0;
}
