#include <cuda_runtime.h>

__global__ void avgPool2x2(const float *in, float *out, int planes, int inH, int inW)
{
    int outH = inH / 2, outW = inW / 2;
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    int p = blockIdx.z;
    if (ox < outW && oy < outH && p < planes) {
        const float *src = &in[(p * inH + 2 * oy) * inW + 2 * ox];
        out[(p * outH + oy) * outW + ox] = 0.25f * (src[0] + src[1] + src[inW] + src[inW + 1]);
    }
}

int main()
{
    int planes = 512, H = 112, W = 112;
    float *in, *out;
    cudaMalloc(&in, sizeof(float) * planes * H * W);
    cudaMalloc(&out, sizeof(float) * planes * H * W / 4);
    dim3 block(28, 8);
    dim3 grid(2, 7, planes);
    avgPool2x2<<<grid, block>>>(in, out, planes, H, W);
    cudaDeviceSynchronize();
}
