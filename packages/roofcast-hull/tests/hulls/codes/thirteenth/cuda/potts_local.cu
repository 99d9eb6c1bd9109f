// Unlike neighbours of each site of a triangular Potts lattice with periodic edges.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int L = 2048;

__global__ void unlike(const signed char* __restrict__ s, signed char* __restrict__ e)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int e_ = (x + 1) & (L - 1), w_ = (x - 1) & (L - 1);
    const int n_ = (y + 1) & (L - 1), s_ = (y - 1) & (L - 1);
    const signed char me = s[y * L + x];
    e[y * L + x] = (s[y * L + e_] != me) + (s[y * L + w_] != me) + (s[n_ * L + x] != me)
                 + (s[s_ * L + x] != me) + (s[n_ * L + e_] != me) + (s[s_ * L + w_] != me);
}

int main()
{
    signed char *s, *e;
    cudaMallocManaged(&s, L * L);
    cudaMallocManaged(&e, L * L);
    for (int i = 0; i < L * L; i++) s[i] = rand() % 4;
    unlike<<<dim3(L / 32, L / 8), dim3(32, 8)>>>(s, e);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < L * L; i++) sum += e[i];
    printf("%ld\n", sum / 2);
}
