// Adler-32 of the chunks of a backup, and which chunks changed since the last one.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHUNK 512
#define CHUNKS (1 << 17)
#define MOD 65521u

__global__ void adler32(const uchar4 *data, unsigned int *digest)
{
    unsigned int c = blockIdx.x * blockDim.x + threadIdx.x;
    const uchar4 *p = data + (size_t)c * (CHUNK / 4);
    const uchar4 *end = p + CHUNK / 4;
    unsigned int a = 1, b = 0;
    while (p != end) {
        uchar4 q = *p++;
        a += q.x; b += a;
        a += q.y; b += a;
        a += q.z; b += a;
        a += q.w; b += a;
    }
    digest[c] = ((b % MOD) << 16) | (a % MOD);
}

__global__ void changed(const unsigned int *now, const unsigned int *then, unsigned char *dirty, int *count)
{
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char d = now[i] != then[i];
    dirty[i] = d;
    atomicAdd(&n, (int)d);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(count, n);
}

int main(void)
{
    size_t bytes = (size_t)CHUNK * CHUNKS;
    unsigned char *h = (unsigned char *)malloc(bytes);
    for (size_t i = 0; i < bytes; i++) h[i] = (unsigned char)((i * 31 + (i >> 9)) & 0xff);
    uchar4 *data;
    unsigned int *now, *then;
    unsigned char *dirty;
    int *count, k;
    cudaMalloc((void **)&data, bytes);
    cudaMalloc((void **)&now, CHUNKS * sizeof(unsigned int));
    cudaMalloc((void **)&then, CHUNKS * sizeof(unsigned int));
    cudaMalloc((void **)&dirty, CHUNKS);
    cudaMalloc((void **)&count, sizeof(int));
    cudaMemcpy(data, h, bytes, cudaMemcpyHostToDevice);
    cudaMemset(then, 0, CHUNKS * sizeof(unsigned int));
    cudaMemset(count, 0, sizeof(int));
    adler32<<<CHUNKS / 128, 128>>>(data, now);
    changed<<<CHUNKS / 256, 256>>>(now, then, dirty, count);
    cudaMemcpy(&k, count, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d chunks changed\n", k);
    free(h);
    return 0;
}
