// Connected components: every node goes up to its root.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void compress_paths(int *parent, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int root = v;
    while (parent[root] != root)
        root = parent[root];
    parent[v] = root;
}

int main()
{
    const int n = 1000000;
    int *h = (int *)malloc(n * sizeof(int));
    h[0] = 0;
    for (int i = 1; i < n; i++) h[i] = rand() % i;
    int *parent;
    cudaMalloc((void **)&parent, n * sizeof(int));
    cudaMemcpy(parent, h, n * sizeof(int), cudaMemcpyHostToDevice);
    compress_paths<<<(n + 255) / 256, 256>>>(parent, n);
    cudaMemcpy(h, parent, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[n - 1]);
    cudaFree(parent);
    free(h);
    return 0;
}
