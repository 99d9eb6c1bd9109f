// Sum of a large array, one partial sum for each block.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t err = (call);                                                \
        if (err != cudaSuccess) {                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
            exit(EXIT_FAILURE);                                                  \
        }                                                                        \
    } while (0)

__global__ void reduce(const float *g_in, float *g_out, unsigned int n) {
    extern __shared__ float sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    float mine = (i < n) ? g_in[i] : 0.0f;
    if (i + blockDim.x < n) mine += g_in[i + blockDim.x];
    sdata[tid] = mine;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_out[blockIdx.x] = sdata[0];
}

int main() {
    const unsigned int n = 1u << 22;
    const int threads = 256;
    const int blocks = (n + threads * 2 - 1) / (threads * 2);
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(float)));
    CHECK(cudaMalloc(&d_out, blocks * sizeof(float)));
    reduce<<<blocks, threads, threads * sizeof(float)>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    float *h = (float *)malloc(blocks * sizeof(float)), sum = 0;
    CHECK(cudaMemcpy(h, d_out, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; b++) sum += h[b];
    printf("%f\n", sum);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
