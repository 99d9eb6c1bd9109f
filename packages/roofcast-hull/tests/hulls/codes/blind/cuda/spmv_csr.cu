#include <cuda_runtime.h>

typedef struct {
    int rows, nnz;
    int *ptr;
    int *col;
    double *val;
} csr_t;

__global__ void spmv_csr_scalar(int num_rows, const int *ptr, const int *indices, const double *data, const double *x, double *y)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < num_rows) {
        double dot = 0;
        int row_start = ptr[row];
        int row_end = ptr[row + 1];
        for (int jj = row_start; jj < row_end; jj++)
            dot += data[jj] * x[indices[jj]];
        y[row] += dot;
    }
}

int main()
{
    csr_t m;
    m.rows = 65536;
    m.nnz = 65536 * 12;
    double *x, *y;
    cudaMalloc(&m.ptr, (m.rows + 1) * sizeof(int));
    cudaMalloc(&m.col, m.nnz * sizeof(int));
    cudaMalloc(&m.val, m.nnz * sizeof(double));
    cudaMalloc(&x, m.rows * sizeof(double));
    cudaMalloc(&y, m.rows * sizeof(double));
    spmv_csr_scalar<<<(m.rows + 127) / 128, 128>>>(m.rows, m.ptr, m.col, m.val, x, y);
    cudaDeviceSynchronize();
    return 0;
}
