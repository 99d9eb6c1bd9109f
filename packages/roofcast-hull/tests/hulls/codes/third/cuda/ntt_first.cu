// First stage of a number-theoretic transform: butterflies of elements half the length apart.
#include <cstdint>
#include <cuda_runtime.h>

constexpr uint64_t P = 998244353ull;

__global__ void ntt_first(uint32_t *a, const uint32_t *roots, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half) return;
    uint64_t u = a[i];
    uint64_t v = a[i + half];
    a[i] = (uint32_t)((u + v) % P);
    a[i + half] = (uint32_t)((u + P - v) * roots[i] % P);
}

int main()
{
    const int n = 1 << 20;
    uint32_t *a, *roots;
    cudaMalloc(&a, n * sizeof(uint32_t));
    cudaMalloc(&roots, n / 2 * sizeof(uint32_t));
    ntt_first<<<(n / 2 + 511) / 512, 512>>>(a, roots, n / 2);
    cudaDeviceSynchronize();
    return 0;
}
