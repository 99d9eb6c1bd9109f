// y = A x with A by its diagonals.
#include <cuda_runtime.h>

__global__ void dia_multiply(int n, int ndiags, const int *offsets, const float *data, const float *x, float *y)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < n) {
        float dot = 0;
        for (int d = 0; d < ndiags; d++) {
            int col = row + offsets[d];
            float value = data[n * d + row];
            if (col >= 0 && col < n)
                dot += value * x[col];
        }
        y[row] = dot;
    }
}

int main()
{
    int n = 262144, ndiags = 5;
    int host[5] = {-512, -1, 0, 1, 512};
    int *offsets;
    float *data, *x, *y;
    cudaMalloc(&offsets, ndiags * sizeof(int));
    cudaMalloc(&data, sizeof(float) * n * ndiags);
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(offsets, host, sizeof(host), cudaMemcpyHostToDevice);
    dia_multiply<<<(n + 255) / 256, 256>>>(n, ndiags, offsets, data, x, y);
    cudaDeviceSynchronize();
    return 0;
}
