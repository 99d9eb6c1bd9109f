// Channels first to channels last, through a tile of shared memory.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define TILE 32

__global__ void nchw_to_nhwc(const __half *__restrict__ in, __half *__restrict__ out, int channels, int places)
{
    __shared__ __half tile[TILE][TILE + 2];
    const __half *from = in + (size_t)blockIdx.z * channels * places;
    __half *to = out + (size_t)blockIdx.z * channels * places;
    int p = blockIdx.x * TILE + threadIdx.x;
    int c = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += 8)
        if (p < places && c + i < channels) tile[threadIdx.y + i][threadIdx.x] = from[(c + i) * places + p];
    __syncthreads();
    p = blockIdx.x * TILE + threadIdx.y;
    c = blockIdx.y * TILE + threadIdx.x;
    for (int i = 0; i < TILE; i += 8)
        if (p + i < places && c < channels) to[(p + i) * channels + c] = tile[threadIdx.x][threadIdx.y + i];
}

int main()
{
    const int batch = 8, channels = 96, places = 1024;
    __half *in, *out;
    cudaMalloc(&in, batch * channels * places * sizeof(__half));
    cudaMalloc(&out, batch * channels * places * sizeof(__half));
    dim3 threads(TILE, 8);
    dim3 blocks(places / TILE, channels / TILE, batch);
    nchw_to_nhwc<<<blocks, threads>>>(in, out, channels, places);
    cudaDeviceSynchronize();
    return 0;
}
