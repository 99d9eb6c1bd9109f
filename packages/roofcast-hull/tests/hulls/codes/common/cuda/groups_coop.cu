#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void sum_all(const float *x, float *total, int n)
{
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    float s = 0.f;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) s += x[i];
    s = cg::reduce(warp, s, cg::plus<float>());
    if (warp.thread_rank() == 0) atomicAdd(total, s);
}

__global__ void row_norms(const float *m, float *norms, int rows, int cols)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
    if (row >= rows) return;
    float acc = 0.f;
    for (int c = tile.thread_rank(); c < cols; c += tile.size()) {
        float v = m[row * cols + c];
        acc += v * v;
    }
    for (int off = tile.size() / 2; off > 0; off /= 2) acc += tile.shfl_down(acc, off);
    if (tile.thread_rank() == 0) norms[row] = sqrtf(acc);
}

__global__ void shift_rows(const float *in, float *out, int cols)
{
    extern __shared__ float line[];
    cg::thread_block b = cg::this_thread_block();
    int base = blockIdx.x * cols;
    for (int c = b.thread_rank(); c < cols; c += b.size()) line[c] = in[base + c];
    b.sync();
    for (int c = b.thread_rank(); c < cols; c += b.size()) out[base + c] = line[cols - 1 - c];
}

int main()
{
    const int n = 1 << 23, rows = 20000, cols = 768;
    float *x, *t, *m, *nn, *o;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&t, sizeof(float));
    cudaMalloc(&m, rows * cols * sizeof(float));
    cudaMalloc(&o, rows * cols * sizeof(float));
    cudaMalloc(&nn, rows * sizeof(float));
    sum_all<<<320, 256>>>(x, t, n);
    row_norms<<<(rows + 7) / 8, 256>>>(m, nn, rows, cols);
    shift_rows<<<rows, 256, cols * sizeof(float)>>>(m, o, cols);
    cudaDeviceSynchronize();
}
