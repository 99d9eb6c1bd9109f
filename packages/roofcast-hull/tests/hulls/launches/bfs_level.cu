#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

struct Node { int starting; int no_of_edges; };
__global__ void Kernel(Node *g_graph_nodes, int *g_graph_edges, bool *g_graph_mask, bool *g_updating, bool *g_visited, int *g_cost, int no_of_nodes) {
  int tid = blockIdx.x * 512 + threadIdx.x;
  if (tid < no_of_nodes && g_graph_mask[tid]) {
    g_graph_mask[tid] = false;
    for (int i = g_graph_nodes[tid].starting; i < (g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++) {
      int id = g_graph_edges[i];
      if (!g_visited[id]) { g_cost[id] = g_cost[tid] + 1; g_updating[id] = true; }
    }
  }
}
int main() {
  int n = 1000000, e = 6000000; Node *a; int *b, *g; bool *m, *u, *v;
  cudaMalloc(&a, n * sizeof(Node)); cudaMalloc(&b, e * sizeof(int)); cudaMalloc(&g, n * sizeof(int)); cudaMalloc(&m, n); cudaMalloc(&u, n); cudaMalloc(&v, n);
  Kernel<<<n / 512 + 1, 512>>>(a, b, m, u, v, g, n);
}