#include <cuda_runtime.h>

// census transform of a 5x5 window: 24 bits for stereo matching
__global__ void census5(const unsigned char* __restrict__ img, unsigned int* __restrict__ code, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || x >= w - 2 || y < 2 || y >= h - 2) return;
    unsigned char c = img[y * w + x];
    unsigned int bits = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) {
            if (dx == 0 && dy == 0) continue;
            bits = (bits << 1) | (img[(y + dy) * w + x + dx] < c);
        }
    code[y * w + x] = bits;
}

int main()
{
    int w = 1242, h = 375;
    unsigned char* img;
    unsigned int* code;
    cudaMalloc(&img, w * h);
    cudaMalloc(&code, w * h * sizeof(unsigned int));
    census5<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(img, code, w, h);
    cudaDeviceSynchronize();
}
