// A pointwise convolution in NCHW: each place, each output channel.
#include <cuda_runtime.h>
#include <iostream>

template <int CIN>
__global__ void conv1x1(const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ bias,
                        float *__restrict__ y, int cout, int hw)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    const int o = blockIdx.y;
    const int n = blockIdx.z;
    if (p >= hw) return;
    float acc = bias[o];
    for (int c = 0; c < CIN; ++c) acc += w[o * CIN + c] * x[(n * CIN + c) * hw + p];
    y[(n * cout + o) * hw + p] = acc;
}

int main()
{
    const int batch = 4, cin = 64, cout = 128, hw = 56 * 56;
    float *x, *w, *b, *y;
    cudaMalloc(&x, batch * cin * hw * sizeof(float));
    cudaMalloc(&w, cin * cout * sizeof(float));
    cudaMalloc(&b, cout * sizeof(float));
    cudaMalloc(&y, batch * cout * hw * sizeof(float));
    dim3 block(128);
    dim3 grid((hw + block.x - 1) / block.x, cout, batch);
    conv1x1<cin><<<grid, block>>>(x, w, b, y, cout, hw);
    cudaDeviceSynchronize();
    std::cout << cudaGetErrorString(cudaGetLastError()) << std::endl;
}
