// Out-of-place scaled conjugate transpose of a complex matrix, 32x32 tiles in shared memory.
// Blind set: class, operations and bytes by hand.
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

inline cudaError_t checkCuda(cudaError_t result)
{
    if (result != cudaSuccess) {
        fprintf(stderr, "CUDA Runtime Error: %s\n", cudaGetErrorString(result));
        assert(result == cudaSuccess);
    }
    return result;
}

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;
const int NROWS = 8192;
const int NCOLS = 6144;

__global__ void conjTranspose(double2 *odata, const double2 *idata, double alpha)
{
    __shared__ double2 tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * NCOLS + x];

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
        const double2 v = tile[threadIdx.x][threadIdx.y + j];
        odata[(y + j) * NROWS + x] = make_double2(alpha * v.x, -alpha * v.y);
    }
}

__global__ void fill(double2 *a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = make_double2(i % 1000, -(i % 333));
}

int main()
{
    const size_t bytes = sizeof(double2) * NROWS * NCOLS;
    double2 *a, *ah;
    checkCuda(cudaMalloc(&a, bytes));
    checkCuda(cudaMalloc(&ah, bytes));
    fill<<<1320, 256>>>(a, NROWS * NCOLS);

    dim3 dimGrid(NCOLS / TILE_DIM, NROWS / TILE_DIM, 1);
    dim3 dimBlock(TILE_DIM, BLOCK_ROWS, 1);
    conjTranspose<<<dimGrid, dimBlock>>>(ah, a, 0.5);
    checkCuda(cudaGetLastError());
    checkCuda(cudaDeviceSynchronize());

    double2 probe[2];
    checkCuda(cudaMemcpy(probe, ah + NROWS, sizeof(probe), cudaMemcpyDeviceToHost));   // row 1: a[0][1], a[1][1]
    printf("%g%+gi %g%+gi\n", probe[0].x, probe[0].y, probe[1].x, probe[1].y);
    checkCuda(cudaFree(a));
    checkCuda(cudaFree(ah));
    return 0;
}
