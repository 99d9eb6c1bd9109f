#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>

namespace cg = cooperative_groups;

// squared distance of two long vectors
__global__ void squared_difference(const float* a, const float* b, double* result, int n)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    double part = 0.0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
        double d = (double)a[i] - (double)b[i];
        part += d * d;
    }
    for (int k = tile.size() / 2; k > 0; k /= 2) part += tile.shfl_down(part, k);
    if (tile.thread_rank() == 0) atomicAdd(result, part);
}

int main()
{
    const int n = 3000000;
    float *a, *b;
    double* r;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    cudaMallocManaged(&r, sizeof(double));
    for (int i = 0; i < n; i++) {
        a[i] = 1.0f / (i + 1);
        b[i] = 0.5f;
    }
    *r = 0.0;
    squared_difference<<<320, 256>>>(a, b, r, n);
    cudaDeviceSynchronize();
    printf("%f\n", sqrt(*r));
    cudaFree(a);
    cudaFree(b);
    cudaFree(r);
    return 0;
}
