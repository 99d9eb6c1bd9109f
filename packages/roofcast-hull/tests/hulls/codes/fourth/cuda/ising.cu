#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// Metropolis on half of a chequered lattice; the other half is in an array of its own, both are half as wide as the lattice.
__global__ void flip_half(signed char *mine, const signed char *other, const float *rnd, float inv_temp, int odd, int rows, int half)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= half) return;

    int up = (i == 0) ? rows - 1 : i - 1;
    int down = (i == rows - 1) ? 0 : i + 1;
    int right = (j == half - 1) ? 0 : j + 1;
    int left = (j == 0) ? half - 1 : j - 1;
    int side = ((i & 1) == odd) ? left : right;

    int sum = other[up * half + j] + other[i * half + j] + other[down * half + j] + other[i * half + side];
    int spin = mine[i * half + j];
    float p = expf(-2.0f * inv_temp * (float)(sum * spin));
    mine[i * half + j] = (signed char)(rnd[i * half + j] < p ? -spin : spin);
}

int main()
{
    const int rows = 1000, half = 500;
    const int n = rows * half;
    signed char *h = (signed char *)malloc(n);
    float *hr = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) {
        h[i] = (rand() & 1) ? 1 : -1;
        hr[i] = rand() / (float)RAND_MAX;
    }
    signed char *black, *white;
    float *rnd;
    cudaMalloc((void **)&black, n);
    cudaMalloc((void **)&white, n);
    cudaMalloc((void **)&rnd, n * sizeof(float));
    cudaMemcpy(black, h, n, cudaMemcpyHostToDevice);
    cudaMemcpy(white, h, n, cudaMemcpyHostToDevice);
    cudaMemcpy(rnd, hr, n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(32, 8);
    dim3 grid((half + 31) / 32, (rows + 7) / 8);
    flip_half<<<grid, block>>>(black, white, rnd, 0.44f, 1, rows, half);
    cudaMemcpy(h, black, n, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(black);
    cudaFree(white);
    cudaFree(rnd);
    free(h);
    free(hr);
    return 0;
}
