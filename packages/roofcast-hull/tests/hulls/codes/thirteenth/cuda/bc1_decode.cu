// Opaque BC1 texture blocks (8 bytes for 4x4 texels) to RGBA8.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define BLOCKS_X 512
#define BLOCKS_Y 256
#define PITCH (4 * BLOCKS_X)

struct rgb { unsigned r, g, b; };

__device__ rgb expand565(unsigned c)
{
    rgb o;
    o.r = (((c >> 11) & 31u) * 527u + 23u) >> 6;
    o.g = (((c >> 5) & 63u) * 259u + 33u) >> 6;
    o.b = ((c & 31u) * 527u + 23u) >> 6;
    return o;
}

__device__ rgb third(rgb p, rgb q)
{
    rgb o;
    o.r = (2u * p.r + q.r) / 3u;
    o.g = (2u * p.g + q.g) / 3u;
    o.b = (2u * p.b + q.b) / 3u;
    return o;
}

__device__ unsigned pack(rgb p) { return p.r | (p.g << 8) | (p.b << 16) | 0xff000000u; }

__global__ void decode_blocks(const uint2* blocks, unsigned* image)
{
    int bx = blockIdx.x * blockDim.x + threadIdx.x;
    int by = blockIdx.y * blockDim.y + threadIdx.y;
    if (bx >= BLOCKS_X || by >= BLOCKS_Y) return;
    uint2 blk = blocks[by * BLOCKS_X + bx];
    rgb c0 = expand565(blk.x & 0xffffu);
    rgb c1 = expand565(blk.x >> 16);
    unsigned pal[4] = {pack(c0), pack(c1), pack(third(c0, c1)), pack(third(c1, c0))};
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x) {
            unsigned sel = (blk.y >> (2 * (4 * y + x))) & 3u;
            image[(4 * by + y) * PITCH + 4 * bx + x] = pal[sel];
        }
}

int main()
{
    std::vector<uint2> h(BLOCKS_X * BLOCKS_Y);
    for (auto& b : h) { b.x = rand() * 3u; b.y = rand() * 5u; }
    uint2* d;
    unsigned* img;
    cudaMalloc(&d, sizeof(uint2) * BLOCKS_X * BLOCKS_Y);
    cudaMalloc(&img, sizeof(unsigned) * 16 * BLOCKS_X * BLOCKS_Y);
    cudaMemcpy(d, h.data(), sizeof(uint2) * h.size(), cudaMemcpyHostToDevice);
    dim3 block(32, 8), grid(BLOCKS_X / 32, BLOCKS_Y / 8);
    decode_blocks<<<grid, block>>>(d, img);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
