// Explicit diffusion with a conductivity that varies from cell to cell, arithmetic mean on faces.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int NX = 128, NY = 128, NZ = 128;
constexpr int SY = NX, SZ = NX * NY;

template <typename T>
__device__ __forceinline__ T face(const T *u, const T *k, int i, int off)
{
    return T(0.5) * (k[i] + k[i + off]) * (u[i + off] - u[i]);
}

template <typename T>
__global__ void diffuse_var(const T *__restrict__ u, const T *__restrict__ k, T *__restrict__ out, T dt)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
    if (x >= NX - 1 || y >= NY - 1 || z >= NZ - 1) return;
    const int i = z * SZ + y * SY + x;
    T s = face(u, k, i, 1) + face(u, k, i, -1)
        + face(u, k, i, SY) + face(u, k, i, -SY)
        + face(u, k, i, SZ) + face(u, k, i, -SZ);
    out[i] = u[i] + dt * s;
}

int main()
{
    const size_t n = (size_t)NX * NY * NZ;
    std::vector<float> hu(n), hk(n);
    for (size_t i = 0; i < n; ++i) { hu[i] = (i * 7919 % 1000) / 1000.f; hk[i] = 0.5f + (i * 31 % 10) / 10.f; }
    float *u, *k, *o;
    cudaMalloc(&u, n * sizeof(float));
    cudaMalloc(&k, n * sizeof(float));
    cudaMalloc(&o, n * sizeof(float));
    cudaMemcpy(u, hu.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(k, hk.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(o, u, n * sizeof(float), cudaMemcpyDeviceToDevice);
    dim3 block(32, 4, 2);
    dim3 grid((NX - 2 + block.x - 1) / block.x, (NY - 2 + block.y - 1) / block.y, (NZ - 2 + block.z - 1) / block.z);
    diffuse_var<float><<<grid, block>>>(u, k, o, 0.1f);
    float v;
    cudaMemcpy(&v, o + SZ + SY + 1, sizeof v, cudaMemcpyDeviceToHost);
    printf("%f\n", v);
}
