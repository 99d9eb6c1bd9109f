// Autotiling of a terrain map that wraps round: which of eight neighbours are alike, then the sprite to draw.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static const int M = 2048;          // a power of two
__constant__ uint8_t sprite_of_mask[256];

__device__ uint8_t at(const uint8_t *map, int x, int y) { return map[(y & (M - 1)) * M + (x & (M - 1))]; }

__global__ void neighbour_mask(const uint8_t *map, uint8_t *mask)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    uint8_t c = map[y * M + x];
    unsigned m = 0;
    m |= (at(map, x, y - 1) == c) << 0;
    m |= (at(map, x + 1, y - 1) == c) << 1;
    m |= (at(map, x + 1, y) == c) << 2;
    m |= (at(map, x + 1, y + 1) == c) << 3;
    m |= (at(map, x, y + 1) == c) << 4;
    m |= (at(map, x - 1, y + 1) == c) << 5;
    m |= (at(map, x - 1, y) == c) << 6;
    m |= (at(map, x - 1, y - 1) == c) << 7;
    mask[y * M + x] = (uint8_t)m;
}

__global__ void pick_sprite(const uint8_t *map, const uint8_t *mask, uint16_t *sprite)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M * M; i += gridDim.x * blockDim.x)
        sprite[i] = (uint16_t)(map[i] * 47 + sprite_of_mask[mask[i]]);
}

int main()
{
    std::vector<uint8_t> h(M * M), lut(256);
    for (int i = 0; i < M * M; ++i) h[i] = ((i >> 4) ^ (i >> 14)) % 5;
    for (int i = 0; i < 256; ++i) lut[i] = (uint8_t)(i * 47 / 256);
    cudaMemcpyToSymbol(sprite_of_mask, lut.data(), 256);
    uint8_t *map, *mask; uint16_t *spr;
    cudaMalloc(&map, M * M);
    cudaMalloc(&mask, M * M);
    cudaMalloc(&spr, M * M * sizeof(uint16_t));
    cudaMemcpy(map, h.data(), M * M, cudaMemcpyHostToDevice);
    dim3 b(32, 8);
    neighbour_mask<<<dim3(M / b.x, M / b.y), b>>>(map, mask);
    pick_sprite<<<1024, 256>>>(map, mask, spr);
    uint16_t s;
    cudaMemcpy(&s, spr + 4242, sizeof s, cudaMemcpyDeviceToHost);
    printf("%u\n", s);
}
