#include <cuda_runtime.h>

__global__ void enlarge(const uchar4 *in, uchar4 *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        uchar4 p = in[y * w + x];
        int o = 2 * y * (2 * w) + 2 * x;
        out[o] = p;
        out[o + 1] = p;
        out[o + 2 * w] = p;
        out[o + 2 * w + 1] = p;
    }
}

int main()
{
    int w = 960, h = 540;
    uchar4 *in, *out;
    cudaMalloc(&in, w * h * sizeof(uchar4));
    cudaMalloc(&out, 4 * w * h * sizeof(uchar4));
    dim3 b(32, 4), g((w + 31) / 32, (h + 3) / 4);
    enlarge<<<g, b>>>(in, out, w, h);
    cudaDeviceSynchronize();
}
