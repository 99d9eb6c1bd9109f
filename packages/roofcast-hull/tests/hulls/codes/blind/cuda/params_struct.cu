#include <cuda_runtime.h>

struct Params {
    const float *in;
    float *out;
    int width, height;
    float strength;
};

__global__ void sharpen(Params p)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= p.width || y >= p.height) return;
    const int at = y * p.width + x;
    const float c = p.in[at];
    float v = c;
    if (x > 0 && x < p.width - 1 && y > 0 && y < p.height - 1)
        v = c + p.strength * (4.0f * c - p.in[at - 1] - p.in[at + 1] - p.in[at - p.width] - p.in[at + p.width]);
    p.out[at] = v;
}

int main()
{
    Params p;
    p.width = 1500;
    p.height = 900;
    p.strength = 0.3f;
    float *in, *out;
    cudaMalloc(&in, sizeof(float) * p.width * p.height);
    cudaMalloc(&out, sizeof(float) * p.width * p.height);
    p.in = in;
    p.out = out;
    dim3 block(16, 16), grid((p.width + 15) / 16, (p.height + 15) / 16);
    sharpen<<<grid, block>>>(p);
    cudaDeviceSynchronize();
    return 0;
}
