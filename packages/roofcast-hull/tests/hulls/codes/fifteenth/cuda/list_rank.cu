// Distance of every node of linked lists from the end of its list: walk until the tail.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
const int NODES = 1 << 16;

__global__ void rank_nodes(const int *next, int *rank)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= NODES) return;
    int steps = 0;
    int at = i;
    while (next[at] != -1) {
        at = next[at];
        ++steps;
    }
    rank[i] = steps;
}

int main()
{
    std::vector<int> h(NODES);
    for (int i = 0; i < NODES; ++i) h[i] = i % 50 == 49 || i == NODES - 1 ? -1 : i + 1;
    int *next, *rank, r;
    cudaMalloc(&next, NODES * sizeof(int));
    cudaMalloc(&rank, NODES * sizeof(int));
    cudaMemcpy(next, h.data(), NODES * sizeof(int), cudaMemcpyHostToDevice);
    rank_nodes<<<NODES / 256, 256>>>(next, rank);
    cudaMemcpy(&r, rank, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d\n", r);
}
