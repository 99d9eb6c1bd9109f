/* Edge-directed line averaging: the lines that a field lacks, from the line above and the line below */
#include <cstdio>
#include <cstdlib>

#define W 1920
#define H 540          /* lines of a field */

typedef unsigned char u8;

__device__ __forceinline__ int absdiff(int a, int b) { return abs(a - b); }

__global__ void ela_lines(const u8 *__restrict__ field, u8 *__restrict__ missing)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= W - 1 || y >= H - 1) return;
    const u8 *up = field + y * W + x, *dn = up + W;
    const int left = absdiff(up[-1], dn[1]);
    const int mid = absdiff(up[0], dn[0]);
    const int right = absdiff(up[1], dn[-1]);
    int sum = up[0] + dn[0];
    int best = mid;
    if (left < best) { best = left; sum = up[-1] + dn[1]; }
    if (right < best) sum = up[1] + dn[-1];
    missing[y * W + x] = (u8)((sum + 1) >> 1);
}

int main(void)
{
    u8 *h = (u8 *)malloc(W * H), *f, *m;
    for (int i = 0; i < W * H; i++) h[i] = (u8)((i * 2654435761u) >> 24);
    cudaMalloc((void **)&f, W * H);
    cudaMalloc((void **)&m, W * H);
    cudaMemcpy(f, h, W * H, cudaMemcpyHostToDevice);
    dim3 b(32, 8), g((W + 31) / 32, (H + 7) / 8);
    ela_lines<<<g, b>>>(f, m);
    cudaMemcpy(h, m, W * H, cudaMemcpyDeviceToHost);
    printf("%d\n", h[W + 5]);
    free(h);
    return 0;
}
