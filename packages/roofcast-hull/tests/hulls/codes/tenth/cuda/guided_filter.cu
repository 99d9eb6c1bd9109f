// Guided image filter (He et al.) with direct windows of radius 4.
// By hand: 6 operations a tap and 12 for a and b; 2 a tap and 4 for the output.
// Verified: operations of a unit with self-counting numbers in Python; compiled with nvcc, not run.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define R 4
#define WIN ((2 * R + 1) * (2 * R + 1))

__device__ __forceinline__ int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }

__global__ void guided_coefficients(const float *guide, const float *input, float *a, float *b,
                                    int width, int height, float eps)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= width || y >= height) return;

    float sI = 0.f, sP = 0.f, sII = 0.f, sIP = 0.f;
    for (int dy = -R; dy <= R; dy++) {
        int yy = clampi(y + dy, 0, height - 1);
        for (int dx = -R; dx <= R; dx++) {
            int xx = clampi(x + dx, 0, width - 1);
            float g = guide[yy * width + xx];
            float p = input[yy * width + xx];
            sI += g;
            sP += p;
            sII += g * g;
            sIP += g * p;
        }
    }
    const float inv = 1.0f / WIN;
    float mI = sI * inv, mP = sP * inv;
    float var = sII * inv - mI * mI;
    float cov = sIP * inv - mI * mP;
    float ak = cov / (var + eps);
    a[y * width + x] = ak;
    b[y * width + x] = mP - ak * mI;
}

__global__ void guided_output(const float *guide, const float *a, const float *b, float *out, int width, int height)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= width || y >= height) return;

    float sa = 0.f, sb = 0.f;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++) {
            int k = clampi(y + dy, 0, height - 1) * width + clampi(x + dx, 0, width - 1);
            sa += a[k];
            sb += b[k];
        }
    const float inv = 1.0f / WIN;
    out[y * width + x] = (sa * inv) * guide[y * width + x] + sb * inv;
}

int main(void)
{
    const int width = 1024, height = 1024;
    const size_t n = (size_t)width * height;
    float *guide, *input, *a, *b, *out;
    cudaMallocManaged(&guide, n * sizeof(float));
    cudaMallocManaged(&input, n * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        guide[i] = (float)((i / 37) % 256) / 255.f;
        input[i] = guide[i] + 0.1f * ((float)rand() / RAND_MAX - 0.5f);
    }

    dim3 threads(16, 16);
    dim3 blocks((width + 15) / 16, (height + 15) / 16);
    guided_coefficients<<<blocks, threads>>>(guide, input, a, b, width, height, 0.01f);
    guided_output<<<blocks, threads>>>(guide, a, b, out, width, height);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        printf("CUDA: %s\n", cudaGetErrorString(err));
        return 1;
    }
    printf("out[0]=%g out[n/2]=%g\n", out[0], out[n / 2]);
    cudaFree(guide); cudaFree(input); cudaFree(out); cudaFree(a); cudaFree(b);
    return 0;
}
