// front end of a compressor: byte statistics of each page, digits of hashes, match lengths
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define PAGE 4096
#define PAGES 8192
#define TOTAL (PAGE * PAGES)

// distinct counts per page
__global__ void page_bytes(const uint8_t *text, uint32_t *hist)
{
    __shared__ uint32_t bin[256];
    bin[threadIdx.x] = 0;
    __syncthreads();
    const uint8_t *p = text + (size_t)blockIdx.x * PAGE;
    for (int i = threadIdx.x; i < PAGE; i += 256) atomicAdd(&bin[p[i]], 1u);
    __syncthreads();
    hist[blockIdx.x * 256 + threadIdx.x] = bin[threadIdx.x];
}

__global__ void hash4(const uint8_t *text, uint16_t *h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 3 < TOTAL) {
        uint32_t w = text[i] | text[i + 1] << 8 | text[i + 2] << 16 | (uint32_t)text[i + 3] << 24;
        h[i] = (uint16_t)((w * 2654435761u) >> 16);
    }
}

__global__ void match_length(const uint8_t *text, const int *candidate, uint16_t *len)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= TOTAL) return;
    int c = candidate[i], l = 0;
    while (i + l < TOTAL && l < 258 && text[c + l] == text[i + l]) ++l;
    len[i] = (uint16_t)l;
}

int main()
{
    std::vector<uint8_t> t(TOTAL);
    std::vector<int> cand(TOTAL);
    for (int i = 0; i < TOTAL; i++) { t[i] = "the quick brown fox jumps over it "[(i * 3 + i / 97) % 34]; cand[i] = i < 102 ? 0 : i - 102; }
    uint8_t *text; uint32_t *hist; uint16_t *h, *len; int *dc;
    cudaMalloc(&text, TOTAL); cudaMalloc(&hist, PAGES * 256 * 4);
    cudaMalloc(&h, TOTAL * 2); cudaMalloc(&len, TOTAL * 2); cudaMalloc(&dc, TOTAL * 4);
    cudaMemcpy(text, t.data(), TOTAL, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, cand.data(), TOTAL * 4, cudaMemcpyHostToDevice);
    page_bytes<<<PAGES, 256>>>(text, hist);
    hash4<<<TOTAL / 256, 256>>>(text, h);
    match_length<<<TOTAL / 256, 256>>>(text, dc, len);
    uint16_t l;
    cudaMemcpy(&l, len + 5000, 2, cudaMemcpyDeviceToHost);
    printf("%d\n", l);
    return 0;
}
