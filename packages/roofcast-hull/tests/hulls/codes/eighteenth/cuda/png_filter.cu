#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef unsigned char u8;
#define W 4096
#define H 2160

__device__ __forceinline__ int paeth(int a, int b, int c)
{
    int p = a + b - c;
    int pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    if (pa <= pb && pa <= pc) return a;
    return pb <= pc ? b : c;
}

// 8 bit grey, one byte a pixel; first row and column stay unfiltered
__global__ void paeth_filter(const u8 *img, u8 *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= W || y >= H) return;
    const u8 *p = img + y * W + x;
    out[y * W + x] = (u8)(p[0] - paeth(p[-1], p[-W], p[-W - 1]));
}

// the encoder's heuristic: sum of the residuals taken as signed bytes
__global__ void row_cost(const u8 *res, unsigned *cost)
{
    __shared__ unsigned total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    unsigned mine = 0;
    for (int x = threadIdx.x; x < W; x += blockDim.x) {
        int s = (signed char)res[blockIdx.x * W + x];
        mine += s < 0 ? -s : s;
    }
    atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0) cost[blockIdx.x] = total;
}

int main()
{
    u8 *h = (u8 *)malloc(W * H);
    for (int i = 0; i < W * H; i++) h[i] = (u8)((i % W) / 16 + (i / W) / 9 + rand() % 3);
    u8 *img, *res; unsigned *cost;
    cudaMalloc((void **)&img, W * H);
    cudaMalloc((void **)&res, W * H);
    cudaMalloc((void **)&cost, H * sizeof(unsigned));
    cudaMemcpy(img, h, W * H, cudaMemcpyHostToDevice);
    cudaMemset(res, 0, W * H);
    dim3 b(32, 8), g(W / 32, (H + 7) / 8);
    paeth_filter<<<g, b>>>(img, res);
    row_cost<<<H, 256>>>(res, cost);
    unsigned c0;
    cudaMemcpy(&c0, cost + 1, sizeof c0, cudaMemcpyDeviceToHost);
    printf("%u\n", c0);
    free(h);
    return 0;
}
