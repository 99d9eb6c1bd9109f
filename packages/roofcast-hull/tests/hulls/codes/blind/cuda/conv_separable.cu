#include <cuda_runtime.h>

#define RADIUS 8
#define TAPS (2 * RADIUS + 1)
#define TILE 256

__constant__ float d_taps[TAPS];

// zero outside the image
__global__ void convRows(float *dst, const float *src, int w)
{
    __shared__ float line[TILE + 2 * RADIUS];
    const int x = blockIdx.x * TILE + threadIdx.x;
    const float *row = src + blockIdx.y * w;
    line[threadIdx.x + RADIUS] = row[x];
    if (threadIdx.x < RADIUS) {
        line[threadIdx.x] = x - RADIUS >= 0 ? row[x - RADIUS] : 0.0f;
        line[threadIdx.x + TILE + RADIUS] = x + TILE < w ? row[x + TILE] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += d_taps[RADIUS + k] * line[threadIdx.x + RADIUS + k];
    dst[blockIdx.y * w + x] = sum;
}

// borders repeat the edge
__global__ void convCols(float *dst, const float *src, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        int yy = min(max(y + k, 0), h - 1);
        sum += d_taps[RADIUS + k] * src[yy * w + x];
    }
    dst[y * w + x] = sum;
}

int main()
{
    const int w = 2048, h = 1024;
    float taps[TAPS];
    for (int i = 0; i < TAPS; i++) taps[i] = 1.0f / TAPS;
    float *src, *tmp, *dst;
    cudaMalloc(&src, w * h * sizeof(float));
    cudaMalloc(&tmp, w * h * sizeof(float));
    cudaMalloc(&dst, w * h * sizeof(float));
    cudaMemcpyToSymbol(d_taps, taps, sizeof(taps));
    convRows<<<dim3(w / TILE, h), TILE>>>(tmp, src, w);
    convCols<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(dst, tmp, w, h);
    cudaDeviceSynchronize();
    return 0;
}
