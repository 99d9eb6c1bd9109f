// Refines cells where a field varies: the kernel launches itself (nvcc -rdc=true).
#include <cuda_runtime.h>
#include <cstdio>

__global__ void refine(const float* field, int* level, int width, int x0, int y0, int size, int depth)
{
    __shared__ float lo[64], hi[64];
    float mn = 1e30f, mx = -1e30f;
    for (int i = threadIdx.x; i < size * size; i += blockDim.x) {
        float v = field[(y0 + i / size) * width + x0 + i % size];
        mn = fminf(mn, v);
        mx = fmaxf(mx, v);
    }
    lo[threadIdx.x] = mn;
    hi[threadIdx.x] = mx;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < 64; ++t) {
            lo[0] = fminf(lo[0], lo[t]);
            hi[0] = fmaxf(hi[0], hi[t]);
        }
        level[(y0 / 8) * (width / 8) + x0 / 8] = depth;
        if (hi[0] - lo[0] > 0.1f && size > 8) {
            int half = size / 2;
            refine<<<1, 64>>>(field, level, width, x0, y0, half, depth + 1);
            refine<<<1, 64>>>(field, level, width, x0 + half, y0, half, depth + 1);
            refine<<<1, 64>>>(field, level, width, x0, y0 + half, half, depth + 1);
            refine<<<1, 64>>>(field, level, width, x0 + half, y0 + half, half, depth + 1);
        }
    }
}

int main()
{
    const int width = 512;
    float* field;
    int* level;
    cudaMallocManaged(&field, width * width * sizeof(float));
    cudaMallocManaged(&level, (width / 8) * (width / 8) * sizeof(int));
    for (int i = 0; i < width * width; ++i) field[i] = (i % 77) / 77.0f;
    refine<<<1, 64>>>(field, level, width, 0, 0, width, 0);
    cudaDeviceSynchronize();
    printf("%d\n", level[0]);
    cudaFree(field);
    cudaFree(level);
    return 0;
}
