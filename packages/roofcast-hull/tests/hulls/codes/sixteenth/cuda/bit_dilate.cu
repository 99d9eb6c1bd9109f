// Binary morphology on packed pixels (32 in a word): dilation by a 3x3 square, and the area of each line
#include <cstdio>
#include <cstdint>

enum { WORDS = 128, ROWS = 4096 };

__global__ void dilate_words(const uint32_t *__restrict__ src, uint32_t *__restrict__ dst)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= WORDS - 1 || y >= ROWS - 1) return;
    uint32_t col[3];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const uint32_t *p = src + (y - 1) * WORDS + (x - 1 + k);
        col[k] = p[0] | p[WORDS] | p[2 * WORDS];
    }
    dst[y * WORDS + x] = col[1] | col[1] << 1 | col[1] >> 1 | col[0] >> 31 | col[2] << 31;
}

__global__ void line_area(const uint32_t *__restrict__ img, int *__restrict__ area)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int lane = threadIdx.x % warpSize;
    int n = 0;
    for (int x = lane; x < WORDS; x += warpSize)
        n += __popc(img[warp * WORDS + x]);
    for (int m = warpSize / 2; m; m /= 2)
        n += __shfl_xor_sync(~0u, n, m);
    if (!lane) area[warp] = n;
}

int main()
{
    uint32_t *a, *b; int *area;
    cudaMallocManaged(&a, sizeof(uint32_t) * WORDS * ROWS);
    cudaMallocManaged(&b, sizeof(uint32_t) * WORDS * ROWS);
    cudaMallocManaged(&area, sizeof(int) * ROWS);
    for (int i = 0; i < WORDS * ROWS; i++) { a[i] = (i * 2246822519u) & (i * 374761393u) & 0x10204081u; b[i] = 0; }
    dilate_words<<<dim3(WORDS / 32, ROWS / 8), dim3(32, 8)>>>(a, b);
    line_area<<<ROWS * 32 / 256, 256>>>(b, area);
    cudaDeviceSynchronize();
    printf("%d\n", area[50]);
}
