// Black and white, in four streams.
#include <cuda_runtime.h>

#define STREAMS 4

__global__ void threshold(const unsigned char *in, unsigned char *out, int n, unsigned char level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] > level ? 255 : 0;
}

int main()
{
    const int n = 1 << 22;
    const int chunk = n / STREAMS;
    unsigned char *host, *in, *out;
    cudaMallocHost(&host, n);
    cudaMalloc(&in, n);
    cudaMalloc(&out, n);
    cudaStream_t streams[STREAMS];
    for (int s = 0; s < STREAMS; s++) cudaStreamCreate(&streams[s]);
    for (int s = 0; s < STREAMS; s++) {
        int offset = s * chunk;
        cudaMemcpyAsync(in + offset, host + offset, chunk, cudaMemcpyHostToDevice, streams[s]);
        threshold<<<(chunk + 511) / 512, 512, 0, streams[s]>>>(in + offset, out + offset, chunk, 100);
        cudaMemcpyAsync(host + offset, out + offset, chunk, cudaMemcpyDeviceToHost, streams[s]);
    }
    cudaDeviceSynchronize();
    for (int s = 0; s < STREAMS; s++) cudaStreamDestroy(streams[s]);
    cudaFreeHost(host);
    return 0;
}
