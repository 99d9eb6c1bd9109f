#include <cuda_runtime.h>

__global__ void exchange(int *a, int n, int phase)
{
    int left = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase;
    if (left + 1 < n) {
        int p = a[left], q = a[left + 1];
        a[left] = min(p, q);
        a[left + 1] = max(p, q);
    }
}

int main()
{
    const int n = 1 << 16;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    for (int step = 0; step < n; step++)
        exchange<<<n / 2 / 256, 256>>>(a, n, step & 1);
    cudaDeviceSynchronize();
    return 0;
}
