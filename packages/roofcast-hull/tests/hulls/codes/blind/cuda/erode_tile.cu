#include <cuda_runtime.h>
#define R 2
#define B 16
#define S (B + 2 * R)

__global__ void erode5x5(const unsigned char *src, unsigned char *dst, int width, int height)
{
    __shared__ unsigned char tile[S][S];
    int x0 = blockIdx.x * B - R, y0 = blockIdx.y * B - R;
    for (int i = threadIdx.y * B + threadIdx.x; i < S * S; i += B * B) {
        int xx = min(max(x0 + i % S, 0), width - 1);
        int yy = min(max(y0 + i / S, 0), height - 1);
        tile[i / S][i % S] = src[yy * width + xx];
    }
    __syncthreads();
    int lowest = 255;
    for (int dy = 0; dy <= 2 * R; dy++)
        for (int dx = 0; dx <= 2 * R; dx++)
            lowest = min(lowest, (int)tile[threadIdx.y + dy][threadIdx.x + dx]);
    int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
    if (x < width && y < height) dst[y * width + x] = lowest;
}

int main()
{
    const int width = 1600, height = 1200;
    unsigned char *src, *dst;
    cudaMalloc(&src, width * height);
    cudaMalloc(&dst, width * height);
    erode5x5<<<dim3(width / B, height / B), dim3(B, B)>>>(src, dst, width, height);
    cudaDeviceSynchronize();
}
