// A sum in one launch: the last block adds the partial sums.
#include <cuda_runtime.h>

__device__ unsigned int retired = 0;

__global__ void single_pass_sum(const double *in, double *partial, double *out, int n)
{
    __shared__ double cache[256];
    __shared__ bool last;
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = cache[0];
        __threadfence();
        last = atomicInc(&retired, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        cache[threadIdx.x] = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0.0;
        __syncthreads();
        for (int s = blockDim.x / 2; s > 0; s /= 2) {
            if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            *out = cache[0];
            retired = 0;
        }
    }
}

int main()
{
    const int n = 1 << 22;
    double *in, *partial, *out;
    cudaMalloc(&in, n * sizeof(double));
    cudaMalloc(&partial, 128 * sizeof(double));
    cudaMalloc(&out, sizeof(double));
    single_pass_sum<<<128, 256>>>(in, partial, out, n);
    cudaDeviceSynchronize();
    return 0;
}
