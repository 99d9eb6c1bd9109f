// A row for each tile of a warp's threads.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void matvec(const float *A, const float *x, float *y, int rows, int cols)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    const int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
    if (row >= rows) return;
    float sum = 0.f;
    for (int c = tile.thread_rank(); c < cols; c += tile.size()) sum += A[row * cols + c] * x[c];
    for (int d = tile.size() / 2; d > 0; d /= 2) sum += tile.shfl_down(sum, d);
    if (tile.thread_rank() == 0) y[row] = sum;
}

int main()
{
    constexpr int rows = 4096, cols = 1024;
    float *A, *x, *y;
    cudaMalloc(&A, sizeof(float) * rows * cols);
    cudaMalloc(&x, sizeof(float) * cols);
    cudaMalloc(&y, sizeof(float) * rows);
    matvec<<<rows / 8, 256>>>(A, x, y, rows, cols);
    cudaDeviceSynchronize();
    return 0;
}
