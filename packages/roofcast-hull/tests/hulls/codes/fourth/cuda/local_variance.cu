#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#define RAD 3
#define BX 16
#define BY 16

__device__ inline int clampi(int v, int lo, int hi) { return min(max(v, lo), hi); }

// variance in a window of 7 x 7 about each pixel, the edge repeated
__global__ void local_variance(const float* img, float* var, int height, int width)
{
    __shared__ float tile[BY + 2 * RAD][BX + 2 * RAD];
    const int x0 = blockIdx.x * BX - RAD;
    const int y0 = blockIdx.y * BY - RAD;
    for (int ty = threadIdx.y; ty < BY + 2 * RAD; ty += BY)
        for (int tx = threadIdx.x; tx < BX + 2 * RAD; tx += BX)
            tile[ty][tx] = img[clampi(y0 + ty, 0, height - 1) * width + clampi(x0 + tx, 0, width - 1)];
    __syncthreads();

    const int x = blockIdx.x * BX + threadIdx.x;
    const int y = blockIdx.y * BY + threadIdx.y;
    if (x >= width || y >= height) return;
    float s = 0.0f, s2 = 0.0f;
    for (int dy = 0; dy <= 2 * RAD; ++dy)
        for (int dx = 0; dx <= 2 * RAD; ++dx) {
            float v = tile[threadIdx.y + dy][threadIdx.x + dx];
            s += v;
            s2 += v * v;
        }
    const float inv = 1.0f / 49.0f;
    const float mean = s * inv;
    var[y * width + x] = s2 * inv - mean * mean;
}

int main()
{
    const int height = 600, width = 800;
    std::vector<float> h(height * width);
    for (int i = 0; i < height * width; ++i) h[i] = (float)((i * 37) % 256);
    float *img, *var;
    cudaMalloc(&img, h.size() * sizeof(float));
    cudaMalloc(&var, h.size() * sizeof(float));
    cudaMemcpy(img, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(BX, BY);
    dim3 grid((width + BX - 1) / BX, (height + BY - 1) / BY);
    local_variance<<<grid, block>>>(img, var, height, width);
    cudaMemcpy(h.data(), var, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[width * 300 + 400]);
    cudaFree(img);
    cudaFree(var);
    return 0;
}
