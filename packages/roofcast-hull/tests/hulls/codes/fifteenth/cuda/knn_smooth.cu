// Labels spread over a graph of eight nearest neighbours a vertex, and how much neighbours disagree.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
#include <cuda_runtime.h>
#define K 8
const int V = 500000;

__global__ void spread(const int *nbr, const float *seed, const float *cur, float *next, float keep)
{
    const float share = (1.f - keep) / K;
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < V; v += blockDim.x * gridDim.x) {
        float s = 0.f;
        #pragma unroll
        for (int k = 0; k < K; ++k) s += cur[nbr[v * K + k]];
        next[v] = keep * seed[v] + share * s;
    }
}

__global__ void disagreement(const int *nbr, const float *val, double *total)
{
    __shared__ double acc[128];
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    double d2 = 0.0;
    if (v < V) {
        float mine = val[v];
        for (int k = 0; k < K; ++k) {
            float d = mine - val[nbr[v * K + k]];
            d2 += d * d;
        }
    }
    acc[threadIdx.x] = d2;
    __syncthreads();
    for (int w = 64; w > 0; w >>= 1) {
        if (threadIdx.x < w) acc[threadIdx.x] += acc[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, acc[0]);
}

int main()
{
    std::vector<int> hn((size_t)V * K);
    std::vector<float> hs(V);
    for (size_t i = 0; i < hn.size(); ++i) hn[i] = (int)((i / K + rand() % 2001 + V - 1000) % V);
    for (int v = 0; v < V; ++v) hs[v] = v % 100 == 0 ? 1.f : 0.f;
    int *nbr; float *seed, *a, *b; double *tot, h;
    cudaMalloc(&nbr, V * K * sizeof(int));
    cudaMalloc(&seed, V * sizeof(float));
    cudaMalloc(&a, V * sizeof(float));
    cudaMalloc(&b, V * sizeof(float));
    cudaMalloc(&tot, sizeof(double));
    cudaMemcpy(nbr, hn.data(), V * K * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(seed, hs.data(), V * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(a, seed, V * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemset(tot, 0, sizeof(double));
    for (int it = 0; it < 10; ++it) {
        spread<<<512, 256>>>(nbr, seed, a, b, 0.15f);
        std::swap(a, b);
    }
    disagreement<<<(V + 127) / 128, 128>>>(nbr, a, tot);
    cudaMemcpy(&h, tot, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h);
}
