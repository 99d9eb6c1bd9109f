// Walsh transform, a stage a launch.
#include <cuda_runtime.h>

__global__ void walsh_stage(float *data, int stride)
{
    const int pos = blockIdx.x * blockDim.x + threadIdx.x;
    const int lo = pos & (stride - 1);
    const int i0 = ((pos - lo) << 1) + lo;
    const int i1 = i0 + stride;
    const float d0 = data[i0];
    const float d1 = data[i1];
    data[i0] = d0 + d1;
    data[i1] = d0 - d1;
}

int main()
{
    const int n = 1 << 20;
    float *data;
    cudaMalloc(&data, n * sizeof(float));
    for (int stride = n / 2; stride >= 1; stride >>= 1)
        walsh_stage<<<n / 2 / 256, 256>>>(data, stride);
    cudaDeviceSynchronize();
    return 0;
}
