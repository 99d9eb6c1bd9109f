#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef unsigned char u8;
enum { IW = 1920, IH = 1200, TX = 32, TY = 8, CX = 64, CY = 50 };

// eight neighbours against the middle, clockwise from top left
__global__ void lbp(const u8 *img, u8 *code)
{
    __shared__ u8 t[TY + 2][TX + 2];
    const int x0 = blockIdx.x * TX - 1, y0 = blockIdx.y * TY - 1;
    for (int k = threadIdx.y * TX + threadIdx.x; k < (TX + 2) * (TY + 2); k += TX * TY) {
        int yy = k / (TX + 2), xx = k % (TX + 2);
        int gx = min(max(x0 + xx, 0), IW - 1);
        int gy = min(max(y0 + yy, 0), IH - 1);
        t[yy][xx] = img[gy * IW + gx];
    }
    __syncthreads();
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const u8 c = t[y][x];
    unsigned v = 0;
    v |= (t[y - 1][x - 1] >= c) << 7;
    v |= (t[y - 1][x] >= c) << 6;
    v |= (t[y - 1][x + 1] >= c) << 5;
    v |= (t[y][x + 1] >= c) << 4;
    v |= (t[y + 1][x + 1] >= c) << 3;
    v |= (t[y + 1][x] >= c) << 2;
    v |= (t[y + 1][x - 1] >= c) << 1;
    v |= (t[y][x - 1] >= c);
    code[(blockIdx.y * TY + threadIdx.y) * IW + blockIdx.x * TX + threadIdx.x] = (u8)v;
}

// fraction of uniform codes (at most two changes around the ring) in each cell of 64 x 50
__global__ void uniform_share(const u8 *code, float *share)
{
    __shared__ int cnt;
    if (threadIdx.x == 0) cnt = 0;
    __syncthreads();
    int mine = 0;
    for (int r = 0; r < CY; r++) {
        unsigned v = code[(blockIdx.y * CY + r) * IW + blockIdx.x * CX + threadIdx.x];
        unsigned rot = ((v << 1) | (v >> 7)) & 0xff;
        mine += __popc(v ^ rot) <= 2;
    }
    atomicAdd(&cnt, mine);
    __syncthreads();
    if (threadIdx.x == 0) share[blockIdx.y * gridDim.x + blockIdx.x] = cnt / (float)(CX * CY);
}

int main()
{
    u8 *img, *code; float *share;
    cudaMallocManaged(&img, IW * IH);
    cudaMallocManaged(&code, IW * IH);
    cudaMallocManaged(&share, (IW / CX) * (IH / CY) * sizeof(float));
    for (int i = 0; i < IW * IH; i++) img[i] = (u8)((i % IW) * (i / IW) / 37 + rand() % 9);
    lbp<<<dim3(IW / TX, IH / TY), dim3(TX, TY)>>>(img, code);
    uniform_share<<<dim3(IW / CX, IH / CY), CX>>>(code, share);
    cudaDeviceSynchronize();
    printf("%f\n", share[10]);
    return 0;
}
