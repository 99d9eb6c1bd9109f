// k-core of a graph in CSR form by peeling: vertices whose degree falls below k are
// dropped and their neighbours lose one.  No class: neighbours and work come from the data.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

static const int V = 5000;
static const int K = 6;

__global__ void init_degree(const int *row_ptr, int *degree, int *alive, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        degree[v] = row_ptr[v + 1] - row_ptr[v];
        alive[v] = 1;
    }
}

__global__ void peel(const int *row_ptr, const int *col, int *degree, int *alive, int n, int k, int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || !alive[v] || degree[v] >= k) return;
    alive[v] = 0;
    *changed = 1;
    for (int e = row_ptr[v]; e < row_ptr[v + 1]; ++e)
        atomicSub(&degree[col[e]], 1);
}

int main()
{
    srand(9);
    std::vector<std::vector<int>> adj(V);
    for (int e = 0; e < 4 * V; ++e) {
        int a = rand() % V, b = rand() % V;
        if (a == b) continue;
        adj[a].push_back(b);
        adj[b].push_back(a);
    }
    std::vector<int> rp(V + 1, 0), ci;
    for (int v = 0; v < V; ++v) {
        ci.insert(ci.end(), adj[v].begin(), adj[v].end());
        rp[v + 1] = (int)ci.size();
    }
    int *row_ptr, *col, *degree, *alive, *changed;
    cudaMalloc(&row_ptr, rp.size() * sizeof(int));
    cudaMalloc(&col, ci.size() * sizeof(int));
    cudaMalloc(&degree, V * sizeof(int));
    cudaMalloc(&alive, V * sizeof(int));
    cudaMallocManaged(&changed, sizeof(int));
    cudaMemcpy(row_ptr, rp.data(), rp.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(col, ci.data(), ci.size() * sizeof(int), cudaMemcpyHostToDevice);

    const int blocks = (V + 255) / 256;
    init_degree<<<blocks, 256>>>(row_ptr, degree, alive, V);
    int rounds = 0;
    do {
        *changed = 0;
        peel<<<blocks, 256>>>(row_ptr, col, degree, alive, V, K, changed);
        cudaDeviceSynchronize();
        ++rounds;
    } while (*changed);

    std::vector<int> left(V);
    cudaMemcpy(left.data(), alive, V * sizeof(int), cudaMemcpyDeviceToHost);
    int total = 0;
    for (int a : left) total += a;
    printf("%d-core: %d vertices after %d rounds\n", K, total, rounds);
    return 0;
}
