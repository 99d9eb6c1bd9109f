// Lecture: divergence. Length of the Collatz sequence of each starting number.
// No class: how long a thread runs depends on its number.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

__global__ void collatz(const unsigned long long *start, int *steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long v = start[i];
        int count = 0;
        while (v != 1) {
            v = (v & 1) ? 3 * v + 1 : v >> 1;
            count++;
        }
        steps[i] = count;
    }
}

int main()
{
    const int n = 100000;
    std::vector<unsigned long long> h(n);
    for (int i = 0; i < n; i++) h[i] = i + 1;
    unsigned long long *d;
    int *s;
    cudaMalloc(&d, n * sizeof(unsigned long long));
    cudaMalloc(&s, n * sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(unsigned long long), cudaMemcpyHostToDevice);
    collatz<<<(n + 255) / 256, 256>>>(d, s, n);
    int last;
    cudaMemcpy(&last, s + 26, sizeof(int), cudaMemcpyDeviceToHost);
    printf("27 takes %d steps (111)\n", last);
    cudaFree(d);
    cudaFree(s);
}
