// Bits that exponential-Golomb codes of prediction residuals would take, block of samples by block of samples.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int kBlockSamples = 1024;
constexpr int kBlocks = 6144;
constexpr int kThreads = 256;

__device__ int code_bits(int residual)
{
    const unsigned u = (unsigned)((residual << 1) ^ (residual >> 31));
    return 2 * (31 - __clz(u + 1u)) + 1;
}

__global__ void cost(const int *residuals, int *bits)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ int sums[kThreads / 32];
    const int *mine = residuals + block.group_index().x * kBlockSamples;
    int n = 0;
    for (int k = block.thread_rank(); k < kBlockSamples; k += kThreads)
        n += code_bits(mine[k]);
    n = cg::reduce(warp, n, cg::plus<int>());
    if (warp.thread_rank() == 0)
        sums[warp.meta_group_rank()] = n;
    block.sync();
    if (block.thread_rank() == 0) {
        int total = 0;
        for (int w = 0; w < kThreads / 32; ++w)
            total += sums[w];
        bits[block.group_index().x] = total;
    }
}

__global__ void choose(const int *first_order, const int *second_order, unsigned char *mode, int n)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < n) mode[b] = second_order[b] < first_order[b] ? 2 : 1;
}

int main()
{
    const int n = kBlockSamples * kBlocks;
    std::vector<int> r1(n), r2(n);
    for (int i = 0; i < n; ++i) {
        r1[i] = (i * 48271) % 255 - 127;
        r2[i] = (i * 16807) % 127 - 63;
    }
    int *d1, *d2, *b1, *b2;
    unsigned char *mode;
    cudaMalloc(&d1, n * sizeof(int));
    cudaMalloc(&d2, n * sizeof(int));
    cudaMalloc(&b1, kBlocks * sizeof(int));
    cudaMalloc(&b2, kBlocks * sizeof(int));
    cudaMalloc(&mode, kBlocks);
    cudaMemcpy(d1, r1.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d2, r2.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cost<<<kBlocks, kThreads>>>(d1, b1);
    cost<<<kBlocks, kThreads>>>(d2, b2);
    choose<<<(kBlocks + 255) / 256, 256>>>(b1, b2, mode, kBlocks);
    int first;
    cudaMemcpy(&first, b1, sizeof first, cudaMemcpyDeviceToHost);
    printf("%d bits\n", first);
}
