// Mirrored and turned pictures.
#include <cuda_runtime.h>

__global__ void mirror_rows(const uchar4 *in, uchar4 *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + (width - 1 - x)] = in[y * width + x];
}

__global__ void rotate_quarter(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + (height - 1 - y)] = in[y * width + x];
}

int main()
{
    int width = 1920, height = 1080;
    uchar4 *a, *b;
    float *f, *g;
    cudaMalloc(&a, width * height * sizeof(uchar4));
    cudaMalloc(&b, width * height * sizeof(uchar4));
    cudaMalloc(&f, width * height * sizeof(float));
    cudaMalloc(&g, width * height * sizeof(float));
    dim3 block(16, 16);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    mirror_rows<<<grid, block>>>(a, b, width, height);
    rotate_quarter<<<grid, block>>>(f, g, width, height);
    cudaDeviceSynchronize();
    return 0;
}
