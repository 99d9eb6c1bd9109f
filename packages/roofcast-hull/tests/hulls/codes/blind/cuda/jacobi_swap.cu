#include <algorithm>
#include <cuda_runtime.h>
#include <stdio.h>

#define SIZE 2048
#define IDX(r, c) ((r) * SIZE + (c))
#define STEPS 100

__global__ void jacobi_step(const double *u, double *unew)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= 1 && r < SIZE - 1 && c >= 1 && c < SIZE - 1)
        unew[IDX(r, c)] = 0.25 * (u[IDX(r - 1, c)] + u[IDX(r + 1, c)] + u[IDX(r, c - 1)] + u[IDX(r, c + 1)]);
}

int main(int argc, char *argv[])
{
    double *u, *v;
    cudaMalloc(&u, sizeof(double) * SIZE * SIZE);
    cudaMalloc(&v, sizeof(double) * SIZE * SIZE);
    cudaMemset(u, 0, sizeof(double) * SIZE * SIZE);
    cudaMemset(v, 0, sizeof(double) * SIZE * SIZE);
    dim3 blk(32, 8);
    dim3 grd((SIZE + blk.x - 1) / blk.x, (SIZE + blk.y - 1) / blk.y);
    for (int it = 0; it < STEPS; ++it) {
        jacobi_step<<<grd, blk>>>(u, v);
        std::swap(u, v);
    }
    cudaDeviceSynchronize();
    printf("done %d steps\n", STEPS);
    cudaFree(u);
    cudaFree(v);
}
