#include <cuda_runtime.h>

// second half of an integral image: sums down the columns, in place
__global__ void scan_columns(double *table, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    double sum = 0;
    for (int r = 0; r < rows; r++) {
        sum += table[r * cols + c];
        table[r * cols + c] = sum;
    }
}

int main()
{
    double *table;
    cudaMalloc(&table, 720 * 1280 * sizeof(double));
    scan_columns<<<1280 / 128, 128>>>(table, 720, 1280);
    cudaDeviceSynchronize();
    return 0;
}
