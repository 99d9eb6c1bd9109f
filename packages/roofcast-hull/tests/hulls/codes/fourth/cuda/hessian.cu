#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define PIX(yy, xx) img[(yy) * w + (xx)]

// blobs: determinant of second differences
__global__ void hessian_det(const float* img, float* det, int h, int w)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= w - 1 || y >= h - 1) return;
    const float c2 = 2.0f * PIX(y, x);
    const float dxx = PIX(y, x - 1) - c2 + PIX(y, x + 1);
    const float dyy = PIX(y - 1, x) - c2 + PIX(y + 1, x);
    const float dxy = 0.25f * (PIX(y - 1, x - 1) - PIX(y - 1, x + 1) - PIX(y + 1, x - 1) + PIX(y + 1, x + 1));
    det[y * w + x] = dxx * dyy - 0.81f * dxy * dxy;
}

int main()
{
    const int h = 500, w = 700;
    float* host = (float*)malloc(sizeof(float) * h * w);
    for (int i = 0; i < h * w; ++i) host[i] = (float)(i % 251);
    float *img, *det;
    cudaMalloc((void**)&img, sizeof(float) * h * w);
    cudaMalloc((void**)&det, sizeof(float) * h * w);
    cudaMemcpy(img, host, sizeof(float) * h * w, cudaMemcpyHostToDevice);
    cudaMemset(det, 0, sizeof(float) * h * w);
    dim3 block(32, 4);
    dim3 grid((w - 2 + 31) / 32, (h - 2 + 3) / 4);
    hessian_det<<<grid, block>>>(img, det, h, w);
    cudaMemcpy(host, det, sizeof(float) * h * w, cudaMemcpyDeviceToHost);
    printf("%g\n", host[w + 1]);
    free(host);
    cudaFree(img);
    cudaFree(det);
    return 0;
}
