// MXFP4: groups of 32 values share a power of two, values are E2M1 in nibbles. A warp packs a group.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__constant__ float kE2M1[16] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f,
                                -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f};

__device__ inline int e2m1_code(float v)
{
    const float a = fabsf(v);
    int c = (a > 0.25f) + (a >= 0.75f) + (a > 1.25f) + (a >= 1.75f) + (a > 2.5f) + (a >= 3.5f) + (a > 5.0f);
    return c | ((v < 0.0f) << 3);
}

__global__ void mx_quantise(const float *x, uint8_t *exponent, uint8_t *nibbles, int groups)
{
    const int lane = threadIdx.x & 31;
    const int g = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (g >= groups) return;
    const float v = x[g * 32 + lane];
    float top = fabsf(v);
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    const float k = floorf(log2f(fmaxf(top, 1e-30f)));
    const int code = e2m1_code(v * exp2f(2.0f - k));
    const int right = __shfl_down_sync(0xffffffff, code, 1);
    if (lane % 2 == 0)
        nibbles[g * 16 + lane / 2] = code | (right << 4);
    if (lane == 0)
        exponent[g] = (int)k + 125;
}

__global__ void mx_dequantise(const uint8_t *exponent, const uint8_t *nibbles, float2 *x, int bytes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bytes) return;
    const int b = nibbles[i];
    const float s = exp2f((float)exponent[i / 16] - 127.0f);
    x[i] = make_float2(kE2M1[b & 15] * s, kE2M1[b >> 4] * s);
}

int main()
{
    const int groups = 1 << 18, n = groups * 32;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = ((i * 7919) % 2001 - 1000) * 0.003f;
    float *x, *back;
    uint8_t *e, *q;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&back, n * sizeof(float));
    cudaMalloc(&e, groups);
    cudaMalloc(&q, n / 2);
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    mx_quantise<<<groups / 8, 256>>>(x, e, q, groups);
    mx_dequantise<<<n / 2 / 256, 256>>>(e, q, reinterpret_cast<float2 *>(back), n / 2);
    float first[3];
    cudaMemcpy(first, back, sizeof first, cudaMemcpyDeviceToHost);
    printf("%g %g, %g %g, %g %g\n", h[0], first[0], h[1], first[1], h[2], first[2]);
    return cudaGetLastError() != cudaSuccess;
}
