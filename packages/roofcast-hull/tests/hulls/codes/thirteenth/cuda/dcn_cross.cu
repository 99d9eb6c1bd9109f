// Deep-and-cross: x0 (w . x) + b + x of each sample of a batch, a block for each.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

const int kBatch = 4096;
const int kDim = 1024;

__device__ float block_sum(float v, float* room)
{
    room[threadIdx.x] = v;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) room[threadIdx.x] += room[threadIdx.x + s];
        __syncthreads();
    }
    return room[0];
}

__global__ void cross_layer(const float* x0, const float* x, const float* w, const float* b, float* out)
{
    __shared__ float room[256];
    const size_t row = (size_t)blockIdx.x * kDim;
    float part = 0.f;
    for (int d = threadIdx.x; d < kDim; d += 256) part += w[d] * x[row + d];
    const float s = block_sum(part, room);
    for (int d = threadIdx.x; d < kDim; d += 256) out[row + d] = x0[row + d] * s + b[d] + x[row + d];
}

int main()
{
    const size_t n = (size_t)kBatch * kDim;
    std::vector<float> h(n);
    for (auto& v : h) v = rand() / (float)RAND_MAX - 0.5f;
    float *x0, *x, *w, *b, *o;
    cudaMalloc(&x0, n * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&o, n * sizeof(float));
    cudaMalloc(&w, kDim * sizeof(float));
    cudaMalloc(&b, kDim * sizeof(float));
    cudaMemcpy(x0, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(w, h.data(), kDim * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data() + kDim, kDim * sizeof(float), cudaMemcpyHostToDevice);
    cross_layer<<<kBatch, 256>>>(x0, x, w, b, o);
    cudaDeviceSynchronize();
    puts(cudaGetErrorString(cudaGetLastError()));
    return 0;
}
