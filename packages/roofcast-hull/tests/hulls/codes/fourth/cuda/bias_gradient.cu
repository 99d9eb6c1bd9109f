#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define COLS_PER_BLOCK 32
#define ROW_LANES 8

// dBias[c] = sum over the batch of dY[r][c]
__global__ void bias_gradient(const float *dY, float *dBias, int rows, int cols)
{
    __shared__ float part[ROW_LANES][COLS_PER_BLOCK + 1];
    const int c = blockIdx.x * COLS_PER_BLOCK + threadIdx.x;
    float sum = 0.f;
    for (int r = threadIdx.y; r < rows; r += ROW_LANES)
        sum += dY[r * cols + c];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        float total = 0.f;
        for (int l = 0; l < ROW_LANES; l++) total += part[l][threadIdx.x];
        dBias[c] = total;
    }
}

int main()
{
    const int rows = 2048, cols = 640;
    float *h = (float *)calloc(rows * cols, sizeof(float));
    for (int i = 0; i < rows * cols; i++) h[i] = i % 3 - 1.0f;
    float *dY, *dBias;
    cudaMalloc((void **)&dY, rows * cols * sizeof(float));
    cudaMalloc((void **)&dBias, cols * sizeof(float));
    cudaMemcpy(dY, h, rows * cols * sizeof(float), cudaMemcpyHostToDevice);
    bias_gradient<<<cols / COLS_PER_BLOCK, dim3(COLS_PER_BLOCK, ROW_LANES)>>>(dY, dBias, rows, cols);
    cudaMemcpy(h, dBias, cols * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[cols - 1]);
    cudaFree(dY);
    cudaFree(dBias);
    free(h);
}
