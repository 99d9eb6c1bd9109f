#include <cuda_runtime.h>
#include <cstring>
#include <cstdio>

#define M 8
__constant__ char pattern[M];

__global__ void find_matches(const char *text, char *found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - M) return;
    int same = 1;
    for (int j = 0; j < M; j++)
        same &= text[i + j] == pattern[j];
    found[i] = (char)same;
}

int main()
{
    int n = 1 << 23;
    char *text, *found;
    cudaMalloc(&text, n);
    cudaMalloc(&found, n);
    cudaMemset(found, 0, n);
    const char *wanted = "roofline";
    cudaMemcpyToSymbol(pattern, wanted, M);
    find_matches<<<(n + 255) / 256, 256>>>(text, found, n);
    cudaDeviceSynchronize();
    printf("%zu\n", strlen(wanted));
    return 0;
}
