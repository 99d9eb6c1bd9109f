// Checksums of IPv4 headers, ten 16-bit words each, one header a thread.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define PACKETS 1000000
#define WORDS 10

__global__ void header_checksums(const uint16_t *hdr, uint16_t *sum)
{
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= PACKETS) return;
    const uint16_t *w = hdr + (size_t)p * WORDS;
    const uint16_t *end = w + WORDS;
    uint32_t s = 0;
    while (w < end)
        s += *w++;
    s = (s & 0xffff) + (s >> 16);
    s = (s & 0xffff) + (s >> 16);
    sum[p] = (uint16_t)~s;
}

int main()
{
    std::vector<uint16_t> h((size_t)PACKETS * WORDS), out(PACKETS);
    for (auto &w : h) w = (uint16_t)rand();
    uint16_t *hdr, *sum;
    cudaMalloc(&hdr, h.size() * sizeof(uint16_t));
    cudaMalloc(&sum, out.size() * sizeof(uint16_t));
    cudaMemcpy(hdr, h.data(), h.size() * sizeof(uint16_t), cudaMemcpyHostToDevice);
    const int threads = 256;
    header_checksums<<<(PACKETS + threads - 1) / threads, threads>>>(hdr, sum);
    cudaMemcpy(out.data(), sum, out.size() * sizeof(uint16_t), cudaMemcpyDeviceToHost);
    printf("%04x\n", out[0]);
}
