#include <cuda_runtime.h>
#include <iostream>

__inline__ __device__ float warpSum(float v)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__inline__ __device__ float blockSum(float v)
{
    static __shared__ float partial[32];
    int lane = threadIdx.x % warpSize;
    int wid = threadIdx.x / warpSize;
    v = warpSum(v);
    if (lane == 0) partial[wid] = v;
    __syncthreads();
    v = (threadIdx.x < blockDim.x / warpSize) ? partial[lane] : 0;
    if (wid == 0) v = warpSum(v);
    return v;
}

__global__ void deviceReduce(const float *in, float *out, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += in[i];
    sum = blockSum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

int main()
{
    int n = 1 << 24;
    float *in, *out, result;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    cudaMemset(out, 0, sizeof(float));
    deviceReduce<<<512, 256>>>(in, out, n);
    cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost);
    std::cout << result << std::endl;
}
