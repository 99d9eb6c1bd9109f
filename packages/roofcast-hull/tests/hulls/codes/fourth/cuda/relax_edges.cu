// Shortest paths by Bellman and Ford: one pass over the list of edges.
#include <cuda_runtime.h>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void relax_edges(const int* src, const int* dst, const int* weight, const int* dist, int* dist_next, int n_edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < n_edges) atomicMin(&dist_next[dst[e]], dist[src[e]] + weight[e]);
}

int main()
{
    const int n_nodes = 50000, n_edges = 400000;
    std::vector<int> s(n_edges), t(n_edges), w(n_edges), d(n_nodes, INT_MAX / 2);
    for (int e = 0; e < n_edges; ++e) {
        s[e] = rand() % n_nodes;
        t[e] = rand() % n_nodes;
        w[e] = 1 + rand() % 100;
    }
    d[0] = 0;
    int *src, *dst, *weight, *dist, *next;
    cudaMalloc(&src, n_edges * sizeof(int));
    cudaMalloc(&dst, n_edges * sizeof(int));
    cudaMalloc(&weight, n_edges * sizeof(int));
    cudaMalloc(&dist, n_nodes * sizeof(int));
    cudaMalloc(&next, n_nodes * sizeof(int));
    cudaMemcpy(src, s.data(), n_edges * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dst, t.data(), n_edges * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(weight, w.data(), n_edges * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dist, d.data(), n_nodes * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(next, d.data(), n_nodes * sizeof(int), cudaMemcpyHostToDevice);
    const int threads = 256;
    for (int round = 0; round < 12; ++round) {
        relax_edges<<<(n_edges + threads - 1) / threads, threads>>>(src, dst, weight, dist, next, n_edges);
        cudaMemcpy(dist, next, n_nodes * sizeof(int), cudaMemcpyDeviceToDevice);
    }
    cudaMemcpy(d.data(), dist, n_nodes * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", d[1]);
    cudaFree(src);
    cudaFree(dst);
    cudaFree(weight);
    cudaFree(dist);
    cudaFree(next);
    return 0;
}
