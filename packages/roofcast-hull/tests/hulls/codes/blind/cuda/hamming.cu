#include <cuda_runtime.h>
typedef unsigned long long u64;

__global__ void hamming256(const u64 *__restrict__ db, const u64 *__restrict__ query, int *__restrict__ dist, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int d = 0;
    for (int w = 0; w < 4; ++w) d += __popcll(db[i * 4 + w] ^ query[w]);
    dist[i] = d;
}

int main()
{
    const int n = 1000000;
    u64 *db, *query;
    int *dist;
    cudaMalloc(&db, n * 4 * sizeof(u64));
    cudaMalloc(&query, 4 * sizeof(u64));
    cudaMalloc(&dist, n * sizeof(int));
    hamming256<<<(n + 255) / 256, 256>>>(db, query, dist, n);
    cudaDeviceSynchronize();
    return 0;
}
