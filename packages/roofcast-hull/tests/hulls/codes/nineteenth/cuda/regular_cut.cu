// Max-cut on an 8-regular graph: gain of moving each vertex, then the moves
#include <cstdio>
#include <vector>
#include <random>
#include <cuda_runtime.h>
constexpr int V = 1 << 17, DEG = 8;

__global__ void cut_gain(const int (*adj)[DEG], const signed char *side, int *gain)
{
    int v = blockDim.x * blockIdx.x + threadIdx.x;
    if (v >= V) return;
    signed char mine = side[v];
    int g = 0;
#pragma unroll
    for (int k = 0; k < DEG; k++)
        g += side[adj[v][k]] * mine;
    gain[v] = g;
}

__global__ void move_good(signed char *side, const int *gain, int threshold)
{
    int v = blockDim.x * blockIdx.x + threadIdx.x;
    if (v >= V) return;
    if (gain[v] > threshold)
        side[v] = -side[v];
}

int main()
{
    std::vector<int> a(V * DEG);
    std::vector<signed char> s(V);
    std::mt19937 g(5);
    int step[4] = {1, 77, 1031, 40961};
    for (int v = 0; v < V; v++) {
        for (int k = 0; k < 4; k++) { a[v * DEG + k] = (v + step[k]) % V; a[v * DEG + 4 + k] = (v + V - step[k]) % V; }
        s[v] = g() & 1 ? 1 : -1;
    }
    int *adj, *gain;
    signed char *side;
    cudaMalloc(&adj, V * DEG * sizeof(int));
    cudaMalloc(&gain, V * sizeof(int));
    cudaMalloc(&side, V);
    cudaMemcpy(adj, a.data(), V * DEG * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(side, s.data(), V, cudaMemcpyHostToDevice);
    for (int round = 0; round < 6; round++) {
        cut_gain<<<V / 256, 256>>>((const int (*)[DEG])adj, side, gain);
        move_good<<<V / 256, 256>>>(side, gain, 2);
    }
    cudaMemcpy(s.data(), side, V, cudaMemcpyDeviceToHost);
    int cut = 0;
    for (int v = 0; v < V; v++) for (int k = 0; k < 4; k++) cut += s[v] != s[a[v * DEG + k]];
    printf("cut %d\n", cut);
}
