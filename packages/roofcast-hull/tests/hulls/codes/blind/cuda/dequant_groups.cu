#include <cuda_fp16.h>
#include <cuda_runtime.h>

// four-bit weights, groups of 128 share a scale and a zero point
__global__ void dequant4(const unsigned *packed, const float *scales, const float *zeros, float *out, int cols)
{
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y;
    int words = cols / 8;
    if (word >= words) return;
    unsigned bits = packed[row * words + word];
    int group = row * (cols / 128) + word / 16;
    float s = scales[group], z = zeros[group];
    float *dst = out + row * cols + word * 8;
#pragma unroll
    for (int j = 0; j < 8; j++) dst[j] = ((float)((bits >> (4 * j)) & 15u) - z) * s;
}

int main()
{
    const int rows = 1024, cols = 4096;
    unsigned *packed;
    float *scales, *zeros, *out;
    cudaMalloc(&packed, rows * cols / 2);
    cudaMalloc(&scales, rows * (cols / 128) * sizeof(float));
    cudaMalloc(&zeros, rows * (cols / 128) * sizeof(float));
    cudaMalloc(&out, rows * cols * sizeof(float));
    dequant4<<<dim3(cols / 8 / 128, rows), 128>>>(packed, scales, zeros, out, cols);
    return cudaDeviceSynchronize();
}
