#include <cuda_runtime.h>

// charge of particles onto a line of nodes, linear weights
__global__ void deposit_charge(const float *x, const float *q, float *rho, int n, int cells, float inv_dx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = x[i] * inv_dx;
    int c = (int)s;
    float w = s - c;
    atomicAdd(&rho[c % cells], q[i] * (1.0f - w));
    atomicAdd(&rho[(c + 1) % cells], q[i] * w);
}

int main()
{
    const int n = 1 << 20, cells = 4096;
    float *x, *q, *rho;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&q, n * sizeof(float));
    cudaMalloc(&rho, cells * sizeof(float));
    cudaMemset(rho, 0, cells * sizeof(float));
    deposit_charge<<<n / 256, 256>>>(x, q, rho, n, cells, 4096.0f / 6.0f);
    cudaDeviceSynchronize();
    return 0;
}
