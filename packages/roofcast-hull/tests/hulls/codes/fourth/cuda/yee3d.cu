// Third component of the electric field on a staggered grid in three dimensions.
#include <cuda_runtime.h>
#include <cstdio>

static const int NZ = 64, NY = 96, NX = 128;

#define AT(k, j, i) (((k) * ny + (j)) * nx + (i))

__global__ void update_ez(float* ez, const float* hx, const float* hy, float coef, int nz, int ny, int nx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i > 0 && i < nx && j > 0 && j < ny && k < nz) {
        float curl = (hy[AT(k, j, i)] - hy[AT(k, j, i - 1)]) - (hx[AT(k, j, i)] - hx[AT(k, j - 1, i)]);
        ez[AT(k, j, i)] += coef * curl;
    }
}

int main()
{
    const size_t bytes = sizeof(float) * NZ * NY * NX;
    float *ez, *hx, *hy;
    cudaMalloc(&ez, bytes);
    cudaMalloc(&hx, bytes);
    cudaMalloc(&hy, bytes);
    cudaMemset(ez, 0, bytes);
    cudaMemset(hx, 0, bytes);
    cudaMemset(hy, 0, bytes);
    dim3 block(32, 4, 2);
    dim3 grid(NX / 32, NY / 4, NZ / 2);
    for (int t = 0; t < 250; t++)
        update_ez<<<grid, block>>>(ez, hx, hy, 0.5f, NZ, NY, NX);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(ez);
    cudaFree(hx);
    cudaFree(hy);
    return 0;
}
