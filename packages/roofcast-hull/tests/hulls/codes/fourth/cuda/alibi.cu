// Scores of attention with a penalty for distance, a slope for each head.
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

#define HEADS 12
#define SEQ 384
#define DIM 64

__global__ void scores_alibi(const float *q, const float *k, const float *slope, float *scores)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int h = blockIdx.z;
    float dot = 0.f;
    for (int d = 0; d < DIM; d++)
        dot += q[(h * SEQ + i) * DIM + d] * k[(h * SEQ + j) * DIM + d];
    scores[(h * SEQ + i) * SEQ + j] = dot * 0.125f - slope[h] * (float)abs(i - j);
}

int main()
{
    std::vector<float> h(HEADS * SEQ * SEQ, 0.01f), s(HEADS);
    for (int i = 0; i < HEADS; i++) s[i] = powf(2.f, -8.f * (i + 1) / HEADS);
    float *q, *k, *slope, *scores;
    cudaMalloc(&q, HEADS * SEQ * DIM * sizeof(float));
    cudaMalloc(&k, HEADS * SEQ * DIM * sizeof(float));
    cudaMalloc(&slope, HEADS * sizeof(float));
    cudaMalloc(&scores, HEADS * SEQ * SEQ * sizeof(float));
    cudaMemcpy(q, h.data(), HEADS * SEQ * DIM * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(k, h.data(), HEADS * SEQ * DIM * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(slope, s.data(), HEADS * sizeof(float), cudaMemcpyHostToDevice);
    dim3 threads(32, 8);
    dim3 blocks(SEQ / 32, SEQ / 8, HEADS);
    scores_alibi<<<blocks, threads>>>(q, k, slope, scores);
    cudaMemcpy(h.data(), scores, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[1]);
    cudaFree(q);
    cudaFree(k);
    cudaFree(slope);
    cudaFree(scores);
    return 0;
}
