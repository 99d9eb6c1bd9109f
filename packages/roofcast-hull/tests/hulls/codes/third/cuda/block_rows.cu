// Sparse matrix of blocks of 3x3, seven in each row of blocks, as from finite elements.
#include <cuda_runtime.h>

#define B 3
#define PER_ROW 7

__global__ void bsr_multiply(const double *values, const int *columns, const double *x, double *y, int block_rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= block_rows) return;
    double sum[B] = {0.0, 0.0, 0.0};
    for (int k = 0; k < PER_ROW; k++) {
        const double *block = values + (row * PER_ROW + k) * B * B;
        const int c = columns[row * PER_ROW + k] * B;
        for (int i = 0; i < B; i++)
            for (int j = 0; j < B; j++) sum[i] += block[i * B + j] * x[c + j];
    }
    for (int i = 0; i < B; i++) y[row * B + i] = sum[i];
}

int main()
{
    const int rows = 40000;
    double *v, *x, *y;
    int *c;
    cudaMalloc(&v, rows * PER_ROW * B * B * sizeof(double));
    cudaMalloc(&c, rows * PER_ROW * sizeof(int));
    cudaMalloc(&x, rows * B * sizeof(double));
    cudaMalloc(&y, rows * B * sizeof(double));
    bsr_multiply<<<(rows + 127) / 128, 128>>>(v, c, x, y, rows);
    cudaDeviceSynchronize();
    return 0;
}
