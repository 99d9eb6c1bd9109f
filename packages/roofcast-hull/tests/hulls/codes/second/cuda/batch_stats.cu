// Batch normalisation: statistics of channels, then the numbers.
#include <cuda_runtime.h>

template <typename T, int THREADS>
__global__ void bn_stats(const T* __restrict__ x, T* __restrict__ mean, T* __restrict__ var, int batch, int channels, int plane)
{
    __shared__ T sums[THREADS];
    __shared__ T squares[THREADS];
    const int c = blockIdx.x;
    T s = 0, q = 0;
    for (int n = 0; n < batch; ++n)
        for (int k = threadIdx.x; k < plane; k += THREADS) {
            const T value = x[(n * channels + c) * plane + k];
            s += value;
            q += value * value;
        }
    sums[threadIdx.x] = s;
    squares[threadIdx.x] = q;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            squares[threadIdx.x] += squares[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        const T m = sums[0] / (batch * plane);
        mean[c] = m;
        var[c] = squares[0] / (batch * plane) - m * m;
    }
}

template <typename T>
__global__ void bn_apply(const T* __restrict__ x, T* __restrict__ y, const T* mean, const T* var, const T* gamma,
                         const T* beta, int channels, int plane, T eps)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const int c = blockIdx.y;
    const int n = blockIdx.z;
    if (k < plane) {
        const int at = (n * channels + c) * plane + k;
        y[at] = gamma[c] * (x[at] - mean[c]) * rsqrtf(var[c] + eps) + beta[c];
    }
}

int main()
{
    const int batch = 32, channels = 64, plane = 56 * 56;
    const size_t count = (size_t)batch * channels * plane;
    float *x, *y, *mean, *var, *gamma, *beta;
    cudaMalloc(&x, count * sizeof(float));
    cudaMalloc(&y, count * sizeof(float));
    cudaMalloc(&mean, channels * sizeof(float));
    cudaMalloc(&var, channels * sizeof(float));
    cudaMalloc(&gamma, channels * sizeof(float));
    cudaMalloc(&beta, channels * sizeof(float));
    bn_stats<float, 256><<<channels, 256>>>(x, mean, var, batch, channels, plane);
    bn_apply<float><<<dim3((plane + 127) / 128, channels, batch), 128>>>(x, y, mean, var, gamma, beta, channels, plane, 1e-5f);
    cudaDeviceSynchronize();
}
