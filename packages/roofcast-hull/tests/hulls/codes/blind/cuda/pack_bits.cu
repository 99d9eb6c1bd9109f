#include <cuda_runtime.h>

__global__ void pack_signs(const float *__restrict__ x, unsigned *__restrict__ bits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned word = __ballot_sync(0xffffffffu, x[i] > 0.0f);
    if ((threadIdx.x & 31) == 0) bits[i >> 5] = word;
}

__global__ void unpack_signs(const unsigned *__restrict__ bits, float *__restrict__ x, int words)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;
    unsigned b = bits[w];
    for (int j = 0; j < 32; ++j) x[w * 32 + j] = (b >> j) & 1u ? 1.0f : -1.0f;
}

int main()
{
    const int n = 1 << 22;
    float *x;
    unsigned *bits;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&bits, n / 8);
    pack_signs<<<n / 256, 256>>>(x, bits, n);
    unpack_signs<<<n / 32 / 256, 256>>>(bits, x, n / 32);
    cudaDeviceSynchronize();
}
