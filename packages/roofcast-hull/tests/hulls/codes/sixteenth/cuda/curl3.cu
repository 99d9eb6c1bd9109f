// Current density of a magnetic field (curl by central differences), and the field's divergence as a check
#include <cstdio>
#include <cuda_runtime.h>

constexpr int NZ = 160, NY = 192, NX = 256;
#define C(z, y, x) (((z) * NY + (y)) * NX + (x))

struct Field { float *x, *y, *z; };

__device__ __forceinline__ bool inside(int z, int y, int x)
{
    return x > 0 && y > 0 && z > 0 && x < NX - 1 && y < NY - 1 && z < NZ - 1;
}

__global__ void current(Field b, Field j, float h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (!inside(z, y, x)) return;
    const int i = C(z, y, x);
    j.x[i] = h * ((b.z[C(z, y + 1, x)] - b.z[C(z, y - 1, x)]) - (b.y[C(z + 1, y, x)] - b.y[C(z - 1, y, x)]));
    j.y[i] = h * ((b.x[C(z + 1, y, x)] - b.x[C(z - 1, y, x)]) - (b.z[C(z, y, x + 1)] - b.z[C(z, y, x - 1)]));
    j.z[i] = h * ((b.y[C(z, y, x + 1)] - b.y[C(z, y, x - 1)]) - (b.x[C(z, y + 1, x)] - b.x[C(z, y - 1, x)]));
}

__global__ void divergence(Field b, float *div, float h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (inside(z, y, x))
        div[C(z, y, x)] = h * (b.x[C(z, y, x + 1)] - b.x[C(z, y, x - 1)] + b.y[C(z, y + 1, x)] - b.y[C(z, y - 1, x)]
                               + b.z[C(z + 1, y, x)] - b.z[C(z - 1, y, x)]);
}

int main()
{
    const size_t n = (size_t)NZ * NY * NX;
    Field b, j;
    float *div;
    cudaMallocManaged(&b.x, n * sizeof(float)); cudaMallocManaged(&b.y, n * sizeof(float)); cudaMallocManaged(&b.z, n * sizeof(float));
    cudaMallocManaged(&j.x, n * sizeof(float)); cudaMallocManaged(&j.y, n * sizeof(float)); cudaMallocManaged(&j.z, n * sizeof(float));
    cudaMallocManaged(&div, n * sizeof(float));
    for (size_t i = 0; i < n; i++) { b.x[i] = i % 31; b.y[i] = i % 17; b.z[i] = i % 7; }
    dim3 block(32, 4, 2), grid(NX / 32, NY / 4, NZ / 2);
    current<<<grid, block>>>(b, j, 0.5f);
    divergence<<<grid, block>>>(b, div, 0.5f);
    cudaDeviceSynchronize();
    printf("%f %f\n", j.x[C(5, 5, 5)], div[C(6, 6, 6)]);
}
