#include <cuda_runtime.h>

// one decimation-in-frequency stage of radix 4 over the whole signal
__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ float2 times_i(float2 a) { return make_float2(-a.y, a.x); }

__global__ void radix4_stage(float2 *data, const float2 *w1, const float2 *w2, const float2 *w3, int quarter)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= quarter) return;
    float2 a = data[k], b = data[k + quarter], c = data[k + 2 * quarter], d = data[k + 3 * quarter];
    float2 even = a + c, odd = a - c, sum = b + d, turn = times_i(b - d);
    data[k] = even + sum;
    data[k + quarter] = (odd - turn) * w1[k];
    data[k + 2 * quarter] = (even - sum) * w2[k];
    data[k + 3 * quarter] = (odd + turn) * w3[k];
}

int main()
{
    const int n = 1 << 18;
    float2 *data, *w;
    cudaMalloc(&data, n * sizeof(float2));
    cudaMalloc(&w, 3 * n / 4 * sizeof(float2));
    radix4_stage<<<n / 4 / 128, 128>>>(data, w, w + n / 4, w + n / 2, n / 4);
    cudaDeviceSynchronize();
    return 0;
}
