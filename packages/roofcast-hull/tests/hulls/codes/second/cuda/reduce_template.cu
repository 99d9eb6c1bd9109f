// A pass of a sum, a number for each block.
#include <cuda_runtime.h>
#include <cstdio>

template <unsigned int blockSize>
__global__ void reduce_pass(const float *g_in, float *g_out, unsigned int n)
{
    __shared__ float sdata[blockSize];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockSize * 2 + tid;
    unsigned int gridSize = blockSize * 2 * gridDim.x;
    float mine = 0;
    while (i < n) {
        mine += g_in[i];
        if (i + blockSize < n) mine += g_in[i + blockSize];
        i += gridSize;
    }
    sdata[tid] = mine;
    __syncthreads();
    if (blockSize >= 512) { if (tid < 256) { sdata[tid] += sdata[tid + 256]; } __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) { sdata[tid] += sdata[tid + 128]; } __syncthreads(); }
    if (blockSize >= 128) { if (tid < 64) { sdata[tid] += sdata[tid + 64]; } __syncthreads(); }
    if (tid < 32) {
        float v = sdata[tid] + sdata[tid + 32];
        for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
        if (tid == 0) g_out[blockIdx.x] = v;
    }
}

int main()
{
    const unsigned int n = 1u << 24;
    float *in, *out, partial[64], total = 0;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    reduce_pass<256><<<64, 256>>>(in, out, n);
    cudaMemcpy(partial, out, sizeof(partial), cudaMemcpyDeviceToHost);
    for (float p : partial) total += p;
    printf("%f\n", total);
    return 0;
}
