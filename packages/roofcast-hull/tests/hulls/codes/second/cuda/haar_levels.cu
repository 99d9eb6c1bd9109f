// One level of a Haar transform.
#include <cuda_runtime.h>

#define INV_SQRT_2 0.70710678f

__global__ void haar_level(const float *signal, float *approx, float *detail, const unsigned int half)
{
    const unsigned int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < half) {
        const float a = signal[2 * id];
        const float b = signal[2 * id + 1];
        approx[id] = (a + b) * INV_SQRT_2;
        detail[id] = (a - b) * INV_SQRT_2;
    }
}

int main()
{
    const unsigned int length = 1 << 20;
    float *signal, *approx, *detail;
    cudaMalloc(&signal, length * sizeof(float));
    cudaMalloc(&approx, length / 2 * sizeof(float));
    cudaMalloc(&detail, length / 2 * sizeof(float));
    haar_level<<<length / 2 / 512, 512>>>(signal, approx, detail, length / 2);
    cudaDeviceSynchronize();
    return 0;
}
