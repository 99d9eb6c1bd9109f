// HDR frame to display: log-average luminance, filmic curve, 8-bit sRGB
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

#define WIDTH 2560
#define HEIGHT 1440
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))

__device__ __forceinline__ float luma(float4 c) { return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z; }

__device__ __forceinline__ float filmic(float x)
{
    return __saturatef((x * (2.51f * x + 0.03f)) / (x * (2.43f * x + 0.59f) + 0.14f));
}

__global__ void log_luma(const float4 *hdr, float *sum)
{
    __shared__ float warp_part[8];
    float acc = 0.f;
    for (int y = blockIdx.y; y < HEIGHT; y += gridDim.y) {
        int x = blockIdx.x * blockDim.x + threadIdx.x;
        acc += logf(luma(hdr[y * WIDTH + x]) + 1e-4f);
    }
    for (int k = 16; k >= 1; k >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, k);
    if ((threadIdx.x & 31) == 0) warp_part[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x < 8) {
        acc = warp_part[threadIdx.x];
        for (int k = 4; k >= 1; k >>= 1) acc += __shfl_down_sync(0xffu, acc, k);
        if (threadIdx.x == 0) atomicAdd(sum, acc);
    }
}

__global__ void to_display(const float4 *hdr, uchar4 *ldr, float exposure)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= WIDTH || y >= HEIGHT) return;
    float4 c = hdr[y * WIDTH + x];
    float r = __powf(filmic(c.x * exposure), 1.f / 2.2f) * 255.f;
    float g = __powf(filmic(c.y * exposure), 1.f / 2.2f) * 255.f;
    float b = __powf(filmic(c.z * exposure), 1.f / 2.2f) * 255.f;
    ldr[y * WIDTH + x] = make_uchar4((unsigned char)r, (unsigned char)g, (unsigned char)b, 255);
}

int main()
{
    const size_t n = (size_t)WIDTH * HEIGHT;
    std::vector<float4> h(n);
    for (size_t i = 0; i < n; i++) h[i] = make_float4((i % 811) * 0.01f, (i % 457) * 0.012f, (i % 311) * 0.02f, 1.f);
    float4 *hdr; uchar4 *ldr; float *sum, s;
    cudaMalloc(&hdr, n * sizeof(float4)); cudaMalloc(&ldr, n * sizeof(uchar4)); cudaMalloc(&sum, sizeof(float));
    cudaMemcpy(hdr, h.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, sizeof(float));
    log_luma<<<dim3(WIDTH / 256, 60), 256>>>(hdr, sum);
    cudaMemcpy(&s, sum, sizeof s, cudaMemcpyDeviceToHost);
    float key = 0.18f / expf(s / n);
    dim3 b(16, 16);
    to_display<<<dim3(DIV_UP(WIDTH, 16), DIV_UP(HEIGHT, 16)), b>>>(hdr, ldr, key);
    cudaDeviceSynchronize();
    printf("key %f\n", key);
    return 0;
}
