// All shortest ways: one launch for each place that ways may lead through.
#include <cuda_runtime.h>
#define V 768

__global__ void relax_through(int *dist, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < V && j < V) {
        int through = dist[i * V + k] + dist[k * V + j];
        if (through < dist[i * V + j])
            dist[i * V + j] = through;
    }
}

int main()
{
    int *dist;
    cudaMalloc((void **)&dist, V * V * sizeof(int));
    dim3 block(32, 8);
    dim3 grid(V / 32, V / 8);
    for (int k = 0; k < V; k++)
        relax_through<<<grid, block>>>(dist, k);
    cudaDeviceSynchronize();
    return 0;
}
