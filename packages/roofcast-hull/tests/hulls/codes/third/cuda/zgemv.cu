#include <cuComplex.h>
#include <cuda_runtime.h>

__global__ void zgemv(const cuDoubleComplex *a, const cuDoubleComplex *x, cuDoubleComplex *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        cuDoubleComplex sum = make_cuDoubleComplex(0.0, 0.0);
        for (int c = 0; c < cols; ++c)
            sum = cuCadd(sum, cuCmul(a[c * rows + r], x[c]));
        y[r] = sum;
    }
}

int main()
{
    const int rows = 2048, cols = 1024;
    cuDoubleComplex *a, *x, *y;
    cudaMalloc(&a, rows * cols * sizeof(cuDoubleComplex));
    cudaMalloc(&x, cols * sizeof(cuDoubleComplex));
    cudaMalloc(&y, rows * sizeof(cuDoubleComplex));
    zgemv<<<rows / 128, 128>>>(a, x, y, rows, cols);
    cudaDeviceSynchronize();
    return 0;
}
