#include <cuda_runtime.h>
#include <vector>

__global__ void spmv_csr(int num_rows, const int *ptr, const int *indices, const double *data, const double *x, double *y) {
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < num_rows) {
        double dot = 0;
        int row_start = ptr[row];
        int row_end = ptr[row + 1];
        for (int jj = row_start; jj < row_end; jj++) dot += data[jj] * x[indices[jj]];
        y[row] += dot;
    }
}

int main() {
    const int rows = 100000, nnz = 1600000;
    int *ptr, *idx;
    double *val, *x, *y;
    cudaMalloc(&ptr, (rows + 1) * sizeof(int));
    cudaMalloc(&idx, nnz * sizeof(int));
    cudaMalloc(&val, nnz * sizeof(double));
    cudaMalloc(&x, rows * sizeof(double));
    cudaMalloc(&y, rows * sizeof(double));
    spmv_csr<<<(rows + 255) / 256, 256>>>(rows, ptr, idx, val, x, y);
    cudaDeviceSynchronize();
}
