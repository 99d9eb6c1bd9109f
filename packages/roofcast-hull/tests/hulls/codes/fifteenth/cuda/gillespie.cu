// Birth and death of a molecule, exact stochastic simulation: one cell a thread, until the time is up.
#include <cstdio>
#include <cuda_runtime.h>
#define CELLS 65536

__device__ float uniform(unsigned &s)
{
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    return (s >> 8) * (1.f / 16777216.f) + 1e-8f;
}

__global__ void ssa(int *molecules, float birth, float death, float t_end)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = 2463534242u + 77u * c;
    int m = molecules[c];
    float t = 0.f;
    while (true) {
        float total = birth + death * m;
        t -= logf(uniform(s)) / total;
        if (t > t_end) break;
        m += uniform(s) * total < birth ? 1 : -1;
    }
    molecules[c] = m;
}

int main()
{
    int *m, h;
    cudaMalloc(&m, CELLS * sizeof(int));
    cudaMemset(m, 0, CELLS * sizeof(int));
    ssa<<<CELLS / 128, 128>>>(m, 10.f, 0.1f, 20.f);
    cudaMemcpy(&h, m, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    return 0;
}
