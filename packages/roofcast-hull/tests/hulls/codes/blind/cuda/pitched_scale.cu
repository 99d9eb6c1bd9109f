#include <cuda_runtime.h>

__global__ void scale2d(float *img, size_t pitch, int width, int height, float gain)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float *row = (float *)((char *)img + y * pitch);
    row[x] *= gain;
}

int main()
{
    const int width = 1000, height = 600;
    float *img;
    size_t pitch;
    cudaMallocPitch((void **)&img, &pitch, width * sizeof(float), height);
    dim3 block(32, 8);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    scale2d<<<grid, block>>>(img, pitch, width, height, 0.5f);
    cudaDeviceSynchronize();
    return 0;
}
