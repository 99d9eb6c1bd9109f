// Rate-1/2 convolutional encoder (K = 7, 133/171 octal) on packed bits, and soft demapping of the QPSK symbols received.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define FRAMES 16384
#define WORDS 64 /* 32-bit words of a frame */

__global__ void encode(const uint32_t *bits, uint32_t *g0, uint32_t *g1)
{
    const int w = threadIdx.x;
    const int f = blockIdx.x * blockDim.y + threadIdx.y;
    const uint32_t *frame = bits + f * WORDS;
    const uint32_t before = w > 0 ? frame[w - 1] : 0u;
    const uint64_t v = ((uint64_t)frame[w] << 6) | (before >> 26);
    g0[f * WORDS + w] = (uint32_t)(v ^ (v >> 2) ^ (v >> 3) ^ (v >> 5) ^ (v >> 6));
    g1[f * WORDS + w] = (uint32_t)(v ^ (v >> 1) ^ (v >> 2) ^ (v >> 3) ^ (v >> 6));
}

__global__ void demap(const float2 *sym, char2 *llr, float scale, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    const float2 s = sym[i];
    const float a = fminf(fmaxf(rintf(s.x * scale), -127.f), 127.f);
    const float b = fminf(fmaxf(rintf(s.y * scale), -127.f), 127.f);
    llr[i] = make_char2((signed char)a, (signed char)b);
}

int main()
{
    const int n = FRAMES * WORDS, symbols = n * 4;
    uint32_t *h = new uint32_t[n];
    float2 *hs = new float2[symbols];
    for (int i = 0; i < n; i++) h[i] = (uint32_t)rand() * 2654435761u;
    for (int i = 0; i < symbols; i++) hs[i] = make_float2(rand() % 200 / 100.f - 1.f, rand() % 200 / 100.f - 1.f);
    uint32_t *in, *a, *b;
    float2 *sym;
    char2 *llr;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMalloc(&sym, symbols * sizeof(float2));
    cudaMalloc(&llr, symbols * sizeof(char2));
    cudaMemcpy(in, h, n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(sym, hs, symbols * sizeof(float2), cudaMemcpyHostToDevice);
    encode<<<FRAMES / 4, dim3(WORDS, 4)>>>(in, a, b);
    demap<<<(symbols + 255) / 256, 256>>>(sym, llr, 36.0f, symbols);
    cudaMemcpy(h, a, n * 4, cudaMemcpyDeviceToHost);
    printf("%08x %08x\n", h[0], h[n - 1]);
    delete[] h; delete[] hs;
    return 0;
}
