#include <cuda_runtime.h>
typedef unsigned char uchar;

__global__ void rgb_to_grey(const uchar3 *const rgb, uchar *const grey, int rows, int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= cols || y >= rows) return;
    int i = y * cols + x;
    uchar3 p = rgb[i];
    grey[i] = (uchar)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

int main() {
    const int rows = 1080, cols = 1920;
    uchar3 *rgb;
    uchar *grey;
    cudaMalloc(&rgb, rows * cols * sizeof(uchar3));
    cudaMalloc(&grey, rows * cols);
    const dim3 block(32, 8);
    const dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    rgb_to_grey<<<grid, block>>>(rgb, grey, rows, cols);
    cudaDeviceSynchronize();
}
