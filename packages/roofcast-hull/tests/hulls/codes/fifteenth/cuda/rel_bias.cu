// Scores of attention scaled, with a learned bias for each relative distance and head.
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <int L>
__global__ void add_relative_bias(__half *scores, const float *table, float scale)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y;
    const int h = blockIdx.z;
    const size_t at = ((size_t)h * L + i) * L + j;
    float s = __half2float(scores[at]);
    s = s * scale + table[h * (2 * L - 1) + j - i + L - 1];
    scores[at] = __float2half(s);
}

int main()
{
    constexpr int HEADS = 16, LEN = 512;
    std::vector<__half> hs((size_t)HEADS * LEN * LEN);
    std::vector<float> ht(HEADS * (2 * LEN - 1));
    for (size_t i = 0; i < hs.size(); ++i) hs[i] = __float2half((i % 113) * 0.25f - 14.f);
    for (size_t i = 0; i < ht.size(); ++i) ht[i] = 0.01f * (i % 91);
    __half *scores;
    float *table;
    cudaMalloc(&scores, (size_t)HEADS * LEN * LEN * sizeof(__half));
    cudaMalloc(&table, HEADS * (2 * LEN - 1) * sizeof(float));
    cudaMemcpy(scores, hs.data(), hs.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(table, ht.data(), ht.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 grid(LEN / 128, LEN, HEADS);
    add_relative_bias<LEN><<<grid, 128>>>(scores, table, 0.125f);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
