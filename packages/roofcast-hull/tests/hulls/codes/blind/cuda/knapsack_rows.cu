#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void knapsack_row(const int *prev, int *cur, int capacity, int weight, int value)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w > capacity) return;
    int best = prev[w];
    if (w >= weight) {
        int take = prev[w - weight] + value;
        if (take > best) best = take;
    }
    cur[w] = best;
}

int main()
{
    const int items = 500, capacity = 100000;
    int *weight = (int *)malloc(items * sizeof(int)), *value = (int *)malloc(items * sizeof(int));
    for (int i = 0; i < items; i++) { weight[i] = 1 + rand() % 1000; value[i] = rand() % 500; }
    int *a, *b;
    cudaMalloc(&a, (capacity + 1) * sizeof(int));
    cudaMalloc(&b, (capacity + 1) * sizeof(int));
    cudaMemset(a, 0, (capacity + 1) * sizeof(int));
    for (int i = 0; i < items; i++) {
        knapsack_row<<<(capacity + 256) / 256, 256>>>(a, b, capacity, weight[i], value[i]);
        int *t = a; a = b; b = t;
    }
    cudaDeviceSynchronize();
    free(weight); free(value);
}
