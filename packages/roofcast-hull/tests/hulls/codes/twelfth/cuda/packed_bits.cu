// Two packed formats: sign bits of binary weights with a scale for each row, and 10:10:10:2 normals.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

enum { ROWS = 4096, WORDS = 128, NORMALS = 3000000 };

__global__ void expand_signs(const uint32_t *bits, const float *scale, float *w) {
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y;
    if (word >= WORDS) return;
    uint32_t v = bits[row * WORDS + word];
    float s = scale[row];
    float *to = w + (size_t)row * WORDS * 32 + word * 32;
#pragma unroll
    for (int b = 0; b < 32; ++b) {
        int one = (v >> b) & 1u;
        to[b] = (float)(2 * one - 1) * s;
    }
}

__device__ __forceinline__ float snorm10(uint32_t v, int at) {
    int i = (int)(v << (22 - at)) >> 22;
    return fmaxf(i * (1.0f / 511.0f), -1.0f);
}

__global__ void unpack_normals(const uint32_t *packed, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t v = packed[i];
    float4 r;
    r.x = snorm10(v, 0);
    r.y = snorm10(v, 10);
    r.z = snorm10(v, 20);
    r.w = (float)(v >> 30);
    out[i] = r;
}

int main() {
    std::vector<uint32_t> h(NORMALS);
    uint32_t s = 12345;
    for (auto &v : h) { s = s * 1664525u + 1013904223u; v = s; }
    std::vector<float> hs(ROWS, 0.125f);
    uint32_t *bits, *nrm; float *scale, *w; float4 *out;
    cudaMalloc(&bits, ROWS * WORDS * 4);
    cudaMalloc(&scale, ROWS * 4);
    cudaMalloc(&w, (size_t)ROWS * WORDS * 32 * 4);
    cudaMalloc(&nrm, NORMALS * 4);
    cudaMalloc(&out, NORMALS * sizeof(float4));
    cudaMemcpy(bits, h.data(), ROWS * WORDS * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(nrm, h.data(), NORMALS * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(scale, hs.data(), ROWS * 4, cudaMemcpyHostToDevice);
    expand_signs<<<dim3(1, ROWS), WORDS>>>(bits, scale, w);
    unpack_normals<<<(NORMALS + 255) / 256, 256>>>(nrm, out, NORMALS);
    printf("%d\n", (int)cudaDeviceSynchronize());
    return 0;
}
