#include <cuda_runtime.h>
#include <stdlib.h>

#define THREADS 256
#define ELEMENTS (2 * THREADS)

__global__ void prescan(int *g_odata, const int *g_idata, int *sums)
{
    __shared__ int temp[ELEMENTS];
    int thid = threadIdx.x;
    int base = blockIdx.x * ELEMENTS;
    int offset = 1;
    temp[2 * thid] = g_idata[base + 2 * thid];
    temp[2 * thid + 1] = g_idata[base + 2 * thid + 1];
    for (int d = ELEMENTS >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0) {
        sums[blockIdx.x] = temp[ELEMENTS - 1];
        temp[ELEMENTS - 1] = 0;
    }
    for (int d = 1; d < ELEMENTS; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            int t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    g_odata[base + 2 * thid] = temp[2 * thid];
    g_odata[base + 2 * thid + 1] = temp[2 * thid + 1];
}

__global__ void add_offsets(int *data, const int *offsets)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += offsets[blockIdx.x];
}

int main()
{
    const int n = 1 << 20, blocks = n / ELEMENTS;
    int *in, *out, *sums;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&sums, blocks * sizeof(int));
    prescan<<<blocks, THREADS>>>(out, in, sums);
    int *host = (int *)malloc(blocks * sizeof(int)), run = 0;
    cudaMemcpy(host, sums, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < blocks; i++) { int t = host[i]; host[i] = run; run += t; }
    cudaMemcpy(sums, host, blocks * sizeof(int), cudaMemcpyHostToDevice);
    add_offsets<<<blocks, ELEMENTS>>>(out, sums);
    cudaDeviceSynchronize();
    free(host);
    return 0;
}
