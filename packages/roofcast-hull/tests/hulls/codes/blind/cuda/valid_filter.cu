#include <cuda_runtime.h>

using real = double;
constexpr int kRadius = 2;
__host__ __device__ constexpr int taps(int radius) { return 2 * radius + 1; }

template <int R> struct Weights {
    real w[taps(R)];
};

template <int R> __global__ void filter_valid(const real *__restrict__ in, real *__restrict__ out, int outputs, Weights<R> weights)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < outputs; i += gridDim.x * blockDim.x) {
        real sum = 0;
#pragma unroll
        for (int k = 0; k < taps(R); ++k) sum += weights.w[k] * in[i + k];
        out[i] = sum;
    }
}

int main()
{
    constexpr int n = 1000000;
    constexpr int outputs = n - 2 * kRadius;
    real *in, *out;
    cudaMalloc(&in, n * sizeof(real));
    cudaMalloc(&out, outputs * sizeof(real));
    Weights<kRadius> w = {{0.1, 0.2, 0.4, 0.2, 0.1}};
    filter_valid<kRadius><<<256, 128>>>(in, out, outputs, w);
    cudaDeviceSynchronize();
}
