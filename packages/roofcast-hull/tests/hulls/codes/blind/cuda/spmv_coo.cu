#include <cuda_runtime.h>

__global__ void coo(int nnz, const int *__restrict__ row, const int *__restrict__ col, const float *__restrict__ val,
                    const float *__restrict__ x, float *y)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < nnz) atomicAdd(y + row[k], val[k] * __ldg(x + col[k]));
}

int main()
{
    int n = 20000, nnz = 600000;
    int *row, *col;
    float *val, *x, *y;
    cudaMalloc(&row, nnz * sizeof(int));
    cudaMalloc(&col, nnz * sizeof(int));
    cudaMalloc(&val, nnz * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    coo<<<(nnz + 255) / 256, 256>>>(nnz, row, col, val, x, y);
    cudaDeviceSynchronize();
    return 0;
}
