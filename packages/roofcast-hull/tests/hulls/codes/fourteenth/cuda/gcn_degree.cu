// Symmetric normalisation of a graph's edge weights: degrees, their inverse roots, scaled weights.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

using idx = int;
constexpr idx kNodes = 1 << 17;
constexpr idx kEdges = 1 << 21;

__global__ void degree(const idx *dst, const float *w, float *deg, idx edges)
{
    idx e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges) atomicAdd(&deg[dst[e]], w[e]);
}

__global__ void inv_root(float *deg, idx nodes)
{
    idx v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < nodes) deg[v] = rsqrtf(deg[v] + 1.0f);
}

__global__ void scale_edges(const idx *src, const idx *dst, const float *__restrict__ s, float *w, idx edges)
{
    idx e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    w[e] = w[e] * __ldg(s + src[e]) * __ldg(s + dst[e]);
}

int main()
{
    std::vector<idx> hs(kEdges), hd(kEdges);
    std::vector<float> hw(kEdges);
    unsigned seed = 12345u;
    for (idx e = 0; e < kEdges; ++e) {
        seed = seed * 1664525u + 1013904223u;
        hs[e] = (seed >> 8) % kNodes;
        seed = seed * 1664525u + 1013904223u;
        hd[e] = (seed >> 8) % kNodes;
        hw[e] = 0.5f + (seed & 15) / 16.0f;
    }
    idx *src, *dst;
    float *w, *deg;
    cudaMalloc(&src, kEdges * sizeof(idx));
    cudaMalloc(&dst, kEdges * sizeof(idx));
    cudaMalloc(&w, kEdges * sizeof(float));
    cudaMalloc(&deg, kNodes * sizeof(float));
    cudaMemcpy(src, hs.data(), kEdges * sizeof(idx), cudaMemcpyHostToDevice);
    cudaMemcpy(dst, hd.data(), kEdges * sizeof(idx), cudaMemcpyHostToDevice);
    cudaMemcpy(w, hw.data(), kEdges * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(deg, 0, kNodes * sizeof(float));
    degree<<<kEdges / 256, 256>>>(dst, w, deg, kEdges);
    inv_root<<<kNodes / 256, 256>>>(deg, kNodes);
    scale_edges<<<kEdges / 256, 256>>>(src, dst, deg, w, kEdges);
    float v;
    cudaMemcpy(&v, w, sizeof v, cudaMemcpyDeviceToHost);
    printf("%g\n", v);
}
