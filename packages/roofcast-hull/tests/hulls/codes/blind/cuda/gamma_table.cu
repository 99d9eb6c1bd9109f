#include <cuda_runtime.h>
#include <math.h>

__constant__ float gammaTable[256];

__global__ void linearise(const unsigned char *img, float *linear, int pixels)
{
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pixels; p += blockDim.x * gridDim.x)
        linear[p] = gammaTable[img[p]];
}

int main()
{
    int pixels = 2048 * 2048;
    float table[256];
    for (int i = 0; i < 256; i++) table[i] = powf(i / 255.0f, 2.2f);
    cudaMemcpyToSymbol(gammaTable, table, sizeof(table));
    unsigned char *img;
    float *linear;
    cudaMalloc(&img, pixels);
    cudaMalloc(&linear, pixels * sizeof(float));
    linearise<<<1024, 256>>>(img, linear, pixels);
    cudaDeviceSynchronize();
    return 0;
}
