// A scanned page of packed RGBA pixels turned by a quarter clockwise, through padded tiles.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define TILE 32
#define STEP 8
constexpr int IN_W = 2048, IN_H = 1024;      // the result: 1024 wide, 2048 high

__global__ void turn_clockwise(const uint32_t *__restrict__ src, uint32_t *__restrict__ dst)
{
    __shared__ uint32_t cell[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += STEP)
        cell[threadIdx.y + j][threadIdx.x] = src[(y + j) * IN_W + x];
    __syncthreads();
    // pixel (x, y) goes to column IN_H - 1 - y of row x
    int col = IN_H - 1 - (blockIdx.y * TILE + threadIdx.x);
    int row = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += STEP)
        dst[(row + j) * IN_H + col] = cell[threadIdx.x][threadIdx.y + j];
}

int main()
{
    std::vector<uint32_t> page(IN_W * IN_H), turned(IN_W * IN_H);
    for (int i = 0; i < IN_W * IN_H; ++i) page[i] = i * 2654435761u;
    uint32_t *a, *b;
    cudaMalloc(&a, page.size() * sizeof(uint32_t));
    cudaMalloc(&b, page.size() * sizeof(uint32_t));
    cudaMemcpy(a, page.data(), page.size() * sizeof(uint32_t), cudaMemcpyHostToDevice);
    turn_clockwise<<<dim3(IN_W / TILE, IN_H / TILE), dim3(TILE, STEP)>>>(a, b);
    cudaMemcpy(turned.data(), b, page.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    printf("%s\n", turned[IN_H - 1] == page[0] ? "ok" : "wrong");
}
