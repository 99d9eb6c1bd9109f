#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static const int W = 2048, H = 1536, T = 16;

__device__ inline int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }

// Replace a pixel that stands out from the mean of its four neighbours.
__global__ void repair(const uint16_t *__restrict__ in, uint16_t *__restrict__ out, int thr)
{
    __shared__ uint16_t tile[T + 2][T + 2];
    const int x0 = blockIdx.x * T - 1, y0 = blockIdx.y * T - 1;
    for (int k = threadIdx.y * T + threadIdx.x; k < (T + 2) * (T + 2); k += T * T) {
        int ty = k / (T + 2), tx = k % (T + 2);
        tile[ty][tx] = in[clampi(y0 + ty, 0, H - 1) * W + clampi(x0 + tx, 0, W - 1)];
    }
    __syncthreads();
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int c = tile[ty][tx];
    int m = (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]) >> 2;
    out[(blockIdx.y * T + threadIdx.y) * W + blockIdx.x * T + threadIdx.x] = abs(c - m) > thr ? m : c;
}

__global__ void count_repaired(const uint16_t *a, const uint16_t *b, unsigned *count)
{
    __shared__ unsigned local;
    if (threadIdx.x == 0) local = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a[i] != b[i]) atomicAdd(&local, 1u);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(count, local);
}

int main()
{
    std::vector<uint16_t> img(W * H);
    for (int i = 0; i < W * H; ++i) img[i] = rand() % 5000 == 0 ? 16383 : 4000 + rand() % 64;
    uint16_t *raw, *fixed; unsigned *cnt, h = 0;
    cudaMalloc(&raw, W * H * sizeof(uint16_t));
    cudaMalloc(&fixed, W * H * sizeof(uint16_t));
    cudaMalloc(&cnt, sizeof(unsigned));
    cudaMemset(cnt, 0, sizeof(unsigned));
    cudaMemcpy(raw, img.data(), W * H * sizeof(uint16_t), cudaMemcpyHostToDevice);
    repair<<<dim3(W / T, H / T), dim3(T, T)>>>(raw, fixed, 500);
    count_repaired<<<W * H / 512, 512>>>(raw, fixed, cnt);
    cudaMemcpy(&h, cnt, sizeof h, cudaMemcpyDeviceToHost);
    printf("%u pixels repaired\n", h);
}
