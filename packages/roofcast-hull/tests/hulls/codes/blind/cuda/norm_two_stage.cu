#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

const int threadsPerBlock = 256;
const int blocksPerGrid = 256;

__global__ void squares(const double *v, double *partial, int n)
{
    __shared__ double cache[threadsPerBlock];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    double temp = 0;
    while (tid < n) {
        temp += v[tid] * v[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[threadIdx.x] = temp;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
        i /= 2;
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = cache[0];
}

__global__ void finish(const double *partial, double *norm)
{
    __shared__ double cache[blocksPerGrid];
    cache[threadIdx.x] = partial[threadIdx.x];
    __syncthreads();
    for (int s = blocksPerGrid / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) *norm = sqrt(cache[0]);
}

int main()
{
    const int n = 5 * 1000 * 1000;
    double *v, *partial, *norm, h;
    cudaMalloc((void **)&v, n * sizeof(double));
    cudaMalloc((void **)&partial, blocksPerGrid * sizeof(double));
    cudaMalloc((void **)&norm, sizeof(double));
    squares<<<blocksPerGrid, threadsPerBlock>>>(v, partial, n);
    finish<<<1, blocksPerGrid>>>(partial, norm);
    cudaMemcpy(&h, norm, sizeof(double), cudaMemcpyDeviceToHost);
    return h > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
