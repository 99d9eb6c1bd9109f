// Well-tempered metadynamics: sum of the deposited hills on a grid of two torsions, and its gradient.
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

#define NG 512
#define NHILL 2048
#define TB 16

__global__ void bias_grid(const float3 *hill, float *bias, float h, float inv2s2)
{
    __shared__ float3 tile[TB * TB];
    int gx = blockIdx.x * TB + threadIdx.x;
    int gy = blockIdx.y * TB + threadIdx.y;
    int lin = threadIdx.y * TB + threadIdx.x;
    float phi = gx * h, psi = gy * h;
    float v = 0.f;
    for (int base = 0; base < NHILL; base += TB * TB) {
        tile[lin] = hill[base + lin];
        __syncthreads();
        for (int k = 0; k < TB * TB; k++) {
            float a = phi - tile[k].x;
            float b = psi - tile[k].y;
            v += tile[k].z * expf(-(a * a + b * b) * inv2s2);
        }
        __syncthreads();
    }
    bias[gy * NG + gx] = v;
}

__global__ void bias_gradient(const float *bias, float *fx, float *fy, float inv2h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int e = (x + 1) % NG, w = (x + NG - 1) % NG;
    int n = (y + 1) % NG, s = (y + NG - 1) % NG;
    fx[y * NG + x] = (bias[y * NG + w] - bias[y * NG + e]) * inv2h;
    fy[y * NG + x] = (bias[s * NG + x] - bias[n * NG + x]) * inv2h;
}

int main()
{
    float3 *hill; float *bias, *fx, *fy;
    cudaMallocManaged(&hill, NHILL * sizeof(float3));
    cudaMallocManaged(&bias, NG * NG * sizeof(float));
    cudaMallocManaged(&fx, NG * NG * sizeof(float));
    cudaMallocManaged(&fy, NG * NG * sizeof(float));
    for (int k = 0; k < NHILL; k++)
        hill[k] = make_float3(6.28f * rand() / RAND_MAX, 6.28f * rand() / RAND_MAX, 1.2f * expf(-k / 900.f));
    const float h = 6.2831853f / NG;
    dim3 b(TB, TB), g(NG / TB, NG / TB);
    bias_grid<<<g, b>>>(hill, bias, h, 1.f / (2.f * 0.35f * 0.35f));
    bias_gradient<<<g, b>>>(bias, fx, fy, 0.5f / h);
    cudaDeviceSynchronize();
    printf("%f %f\n", bias[1000], fx[1000]);
    return 0;
}
