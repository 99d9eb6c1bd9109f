// A low-rank adapter: y += scale * (x A^T) B^T, in two launches.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

namespace cg = cooperative_groups;

static const int kBatch = 2048, kIn = 768, kRank = 16, kOut = 1024;

__global__ void lora_down(const float* x, const float* a, float* z, int batch, int in_features, int rank)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int unit = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (unit >= batch * rank) return;
    const int b = unit / rank, r = unit % rank;
    float part = 0.f;
    for (int k = warp.thread_rank(); k < in_features; k += 32)
        part += x[b * in_features + k] * a[r * in_features + k];
    part = cg::reduce(warp, part, cg::plus<float>());
    if (warp.thread_rank() == 0) z[b * rank + r] = part;
}

__global__ void lora_up(const float* z, const float* bt, float* y, int batch, int out_features, int rank, float scale)
{
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    const int b = blockIdx.y * blockDim.y + threadIdx.y;
    if (n < out_features && b < batch) {
        float s = 0.f;
        for (int r = 0; r < rank; ++r) s += z[b * rank + r] * bt[n * rank + r];
        y[b * out_features + n] += scale * s;
    }
}

int main()
{
    float *x, *a, *z, *bt, *y;
    cudaMalloc(&x, sizeof(float) * kBatch * kIn);
    cudaMalloc(&a, sizeof(float) * kRank * kIn);
    cudaMalloc(&z, sizeof(float) * kBatch * kRank);
    cudaMalloc(&bt, sizeof(float) * kOut * kRank);
    cudaMalloc(&y, sizeof(float) * kBatch * kOut);
    std::vector<float> h(kBatch * kOut, 0.5f);
    cudaMemcpy(x, h.data(), sizeof(float) * kBatch * kIn, cudaMemcpyHostToDevice);
    cudaMemcpy(a, h.data(), sizeof(float) * kRank * kIn, cudaMemcpyHostToDevice);
    cudaMemcpy(bt, h.data(), sizeof(float) * kOut * kRank, cudaMemcpyHostToDevice);
    cudaMemcpy(y, h.data(), sizeof(float) * kBatch * kOut, cudaMemcpyHostToDevice);

    const int warps_per_block = 8;
    lora_down<<<kBatch * kRank / warps_per_block, warps_per_block * 32>>>(x, a, z, kBatch, kIn, kRank);
    dim3 threads(32, 8);
    dim3 blocks(kOut / threads.x, kBatch / threads.y);
    lora_up<<<blocks, threads>>>(z, bt, y, kBatch, kOut, kRank, 2.0f);

    cudaMemcpy(h.data(), y, sizeof(float) * kBatch * kOut, cudaMemcpyDeviceToHost);
    std::cout << h[5] << std::endl;
    cudaFree(x); cudaFree(a); cudaFree(z); cudaFree(bt); cudaFree(y);
}
