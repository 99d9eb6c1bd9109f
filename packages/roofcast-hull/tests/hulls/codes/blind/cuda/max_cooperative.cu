#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void largest(const unsigned *data, unsigned *result, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    unsigned m = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) m = max(m, data[i]);
    for (int s = warp.size() / 2; s > 0; s /= 2) m = max(m, warp.shfl_down(m, s));
    if (warp.thread_rank() == 0) atomicMax(result, m);
}

int main()
{
    const int n = 10 * 1024 * 1024;
    unsigned *data, *result;
    cudaMalloc(&data, n * sizeof(unsigned));
    cudaMalloc(&result, sizeof(unsigned));
    cudaMemset(result, 0, sizeof(unsigned));
    largest<<<160, 256>>>(data, result, n);
    cudaDeviceSynchronize();
}
