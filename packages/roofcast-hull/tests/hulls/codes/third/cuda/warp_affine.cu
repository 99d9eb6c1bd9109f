#include <cuda_runtime.h>

struct Affine { float a, b, c, d, e, f; };

__global__ void warp_affine(const float* src, float* dst, int w, int h, Affine m)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sx = m.a * x + m.b * y + m.c;
    float sy = m.d * x + m.e * y + m.f;
    int x0 = (int)floorf(sx), y0 = (int)floorf(sy);
    float fx = sx - x0, fy = sy - y0;
    float v = 0.f;
    if (x0 >= 0 && y0 >= 0 && x0 < w - 1 && y0 < h - 1) {
        const float* p = src + y0 * w + x0;
        v = (1.f - fy) * ((1.f - fx) * p[0] + fx * p[1]) + fy * ((1.f - fx) * p[w] + fx * p[w + 1]);
    }
    dst[y * w + x] = v;
}

int main()
{
    int w = 1280, h = 960;
    float *src, *dst;
    cudaMalloc(&src, w * h * sizeof(float));
    cudaMalloc(&dst, w * h * sizeof(float));
    Affine m = {0.98f, -0.17f, 3.5f, 0.17f, 0.98f, -7.25f};
    warp_affine<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(src, dst, w, h, m);
    cudaDeviceSynchronize();
    return 0;
}
