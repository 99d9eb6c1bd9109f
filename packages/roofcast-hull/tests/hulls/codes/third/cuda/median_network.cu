// The median of nine without a sort: minima and maxima only.
#include <cuda_runtime.h>
#include <cstdio>

#define ORDER(a, b)               \
    {                             \
        float lo_ = fminf(a, b);  \
        b = fmaxf(a, b);          \
        a = lo_;                  \
    }

__global__ void median3x3(const float *src, float *dst, int w, int h, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= w - 1 || y >= h - 1) return;
    float v[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            v[3 * j + i] = src[(y + j - 1) * pitch + x + i - 1];
    ORDER(v[1], v[2]) ORDER(v[4], v[5]) ORDER(v[7], v[8])
    ORDER(v[0], v[1]) ORDER(v[3], v[4]) ORDER(v[6], v[7])
    ORDER(v[1], v[2]) ORDER(v[4], v[5]) ORDER(v[7], v[8])
    v[3] = fmaxf(v[0], v[3]);
    v[5] = fminf(v[5], v[8]);
    ORDER(v[4], v[7])
    v[6] = fmaxf(v[3], v[6]);
    v[4] = fmaxf(v[1], v[4]);
    v[2] = fminf(v[2], v[5]);
    v[4] = fminf(v[4], v[7]);
    ORDER(v[4], v[2])
    v[4] = fmaxf(v[6], v[4]);
    v[4] = fminf(v[4], v[2]);
    dst[y * pitch + x] = v[4];
}

int main()
{
    const int w = 1024, h = 768;
    float *src, *dst;
    cudaMalloc(&src, w * h * sizeof(float));
    cudaMalloc(&dst, w * h * sizeof(float));
    dim3 threads(32, 16);
    dim3 blocks((w - 2 + threads.x - 1) / threads.x, (h - 2 + threads.y - 1) / threads.y);
    median3x3<<<blocks, threads>>>(src, dst, w, h, w);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) printf("error: %s\n", cudaGetErrorString(e));
    return 0;
}
