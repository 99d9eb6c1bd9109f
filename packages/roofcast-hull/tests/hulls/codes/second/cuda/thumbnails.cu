// Means of 3 x 3 pixels.
#include <cuda_runtime.h>
#include <cstdint>

__global__ void shrink3(const uint8_t *in, uint8_t *out, int out_w, int out_h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out_w && y < out_h) {
        const int in_w = out_w * 3;
        int sum = 0;
#pragma unroll
        for (int j = 0; j < 3; ++j)
#pragma unroll
            for (int i = 0; i < 3; ++i)
                sum += in[(3 * y + j) * in_w + 3 * x + i];
        out[y * out_w + x] = (uint8_t)(sum / 9);
    }
}

int main()
{
    const int w = 512, h = 512;
    uint8_t *in, *out;
    cudaMalloc(&in, 9 * w * h);
    cudaMalloc(&out, w * h);
    dim3 tb(32, 4);
    shrink3<<<dim3(w / 32, h / 4), tb>>>(in, out, w, h);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return 0;
}
