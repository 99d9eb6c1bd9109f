// Breadth first search, a level at a time.
#include <cuda_runtime.h>

struct Node { int first; int degree; };

const int NODES = 1 << 18;
const int EDGES = 6 * NODES;

__global__ void expand(const Node *nodes, const int *edges, bool *mask, bool *updating, const bool *visited, int *cost)
{
    int tid = blockIdx.x * 512 + threadIdx.x;
    if (tid < NODES && mask[tid]) {
        mask[tid] = false;
        for (int e = nodes[tid].first; e < nodes[tid].first + nodes[tid].degree; e++) {
            int other = edges[e];
            if (!visited[other]) {
                cost[other] = cost[tid] + 1;
                updating[other] = true;
            }
        }
    }
}

__global__ void promote(bool *mask, bool *updating, bool *visited, bool *again)
{
    int tid = blockIdx.x * 512 + threadIdx.x;
    if (tid < NODES && updating[tid]) {
        mask[tid] = true;
        visited[tid] = true;
        *again = true;
        updating[tid] = false;
    }
}

int main()
{
    Node *nodes;
    int *edges, *cost;
    bool *mask, *updating, *visited, *again;
    cudaMalloc(&nodes, NODES * sizeof(Node));
    cudaMalloc(&edges, EDGES * sizeof(int));
    cudaMalloc(&cost, NODES * sizeof(int));
    cudaMalloc(&mask, NODES);
    cudaMalloc(&updating, NODES);
    cudaMalloc(&visited, NODES);
    cudaMalloc(&again, 1);
    bool stop;
    do {
        stop = false;
        cudaMemcpy(again, &stop, 1, cudaMemcpyHostToDevice);
        expand<<<NODES / 512, 512>>>(nodes, edges, mask, updating, visited, cost);
        promote<<<NODES / 512, 512>>>(mask, updating, visited, again);
        cudaMemcpy(&stop, again, 1, cudaMemcpyDeviceToHost);
    } while (stop);
    return 0;
}
