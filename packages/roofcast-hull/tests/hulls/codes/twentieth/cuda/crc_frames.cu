// CRC-32 of fixed 64-byte frames, table in constant memory; and how many frames pass
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

constexpr int FRAMES = 500000;
constexpr int LEN = 64;

__constant__ uint32_t crc_tab[256];

__global__ void frame_crc(const uint8_t *data, uint32_t *crc)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= FRAMES) return;
    const uint8_t *p = data + (size_t)f * LEN;
    uint32_t c = 0xffffffffu;
    for (int i = 0; i < LEN; ++i)
        c = crc_tab[(c ^ p[i]) & 0xff] ^ (c >> 8);
    crc[f] = ~c;
}

__global__ void count_good(const uint32_t *crc, const uint32_t *sent, unsigned *good)
{
    unsigned mine = 0;
    for (int f = blockIdx.x * blockDim.x + threadIdx.x; f < FRAMES; f += gridDim.x * blockDim.x)
        mine += crc[f] == sent[f];
    for (int d = 16; d; d >>= 1) mine += __shfl_xor_sync(0xffffffff, mine, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(good, mine);
}

int main()
{
    uint32_t tab[256];
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t c = i;
        for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        tab[i] = c;
    }
    cudaMemcpyToSymbol(crc_tab, tab, sizeof tab);
    std::vector<uint8_t> data((size_t)FRAMES * LEN);
    std::vector<uint32_t> sent(FRAMES);
    for (size_t i = 0; i < data.size(); ++i) data[i] = (uint8_t)(i * 131 + (i >> 9));
    for (int f = 0; f < FRAMES; ++f) sent[f] = f * 2654435761u;
    uint8_t *dd; uint32_t *dc, *ds; unsigned *dg;
    cudaMalloc(&dd, data.size()); cudaMalloc(&dc, FRAMES * 4); cudaMalloc(&ds, FRAMES * 4); cudaMalloc(&dg, 4);
    cudaMemcpy(dd, data.data(), data.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(ds, sent.data(), FRAMES * 4, cudaMemcpyHostToDevice);
    cudaMemset(dg, 0, 4);
    frame_crc<<<(FRAMES + 127) / 128, 128>>>(dd, dc);
    count_good<<<256, 256>>>(dc, ds, dg);
    unsigned g;
    cudaMemcpy(&g, dg, 4, cudaMemcpyDeviceToHost);
    printf("%u good\n", g);
}
