// Basins of Newton's method for z^3 = 1: every pixel iterates until it has converged.
// Blind set: to be refused (the number of iterations is decided by the point).
#include <cstdio>
#include <cuda_runtime.h>

struct cfloat { float re, im; };

__device__ inline cfloat mul(cfloat a, cfloat b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
__device__ inline cfloat sub(cfloat a, cfloat b) { return {a.re - b.re, a.im - b.im}; }
__device__ inline float norm2(cfloat a) { return a.re * a.re + a.im * a.im; }
__device__ inline cfloat div(cfloat a, cfloat b)
{
    float d = 1.0f / norm2(b);
    return {(a.re * b.re + a.im * b.im) * d, (a.im * b.re - a.re * b.im) * d};
}

__global__ void basins(int *steps, int width, int height, float scale)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    cfloat z = {(px - width / 2 + 0.5f) * scale, (py - height / 2 + 0.5f) * scale};
    int n = 0;
    float move = 1.0f;
    while (move > 1e-10f && n < 200) {
        const cfloat z2 = mul(z, z);
        const cfloat f = sub(mul(z2, z), cfloat{1.0f, 0.0f});
        const cfloat df = {3.0f * z2.re, 3.0f * z2.im};
        const cfloat d = div(f, df);
        z = sub(z, d);
        move = norm2(d);
        ++n;
    }
    steps[py * width + px] = n;
}

int main()
{
    const int width = 4096, height = 4096;
    int *steps;
    if (cudaMalloc(&steps, sizeof(int) * width * height) != cudaSuccess) return 1;
    dim3 block(16, 16), grid(width / 16, height / 16);
    basins<<<grid, block>>>(steps, width, height, 4.0f / width);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("failed: %s\n", cudaGetErrorString(e));
        return 1;
    }
    int corner;
    cudaMemcpy(&corner, steps, sizeof(int), cudaMemcpyDeviceToHost);
    printf("corner: %d steps\n", corner);
    cudaFree(steps);
    return 0;
}
