// Semi-global matching: costs gathered from left to right, a line a block, a disparity a thread
#include <cstdio>
#include <cstdint>

#define ROWS 480
#define COLS 640
#define DISP 64

__global__ void aggregate_right(const uint8_t *__restrict__ cost, uint16_t *__restrict__ total, int p1, int p2)
{
    __shared__ int prev[DISP + 2];
    __shared__ int low[DISP];
    const int d = threadIdx.x;
    const size_t line = (size_t)blockIdx.x * COLS * DISP;
    if (d == 0) prev[0] = prev[DISP + 1] = 1 << 20;
    prev[d + 1] = 0;
    for (int x = 0; x < COLS; x++) {
        low[d] = prev[d + 1];
        __syncthreads();
        for (int s = DISP / 2; s > 0; s >>= 1) {
            if (d < s) low[d] = min(low[d], low[d + s]);
            __syncthreads();
        }
        const int floor = low[0];
        int best = min(prev[d + 1], floor + p2);
        best = min(best, min(prev[d], prev[d + 2]) + p1);
        const int now = cost[line + x * DISP + d] + best - floor;
        __syncthreads();
        prev[d + 1] = now;
        total[line + x * DISP + d] = (uint16_t)now;
        __syncthreads();
    }
}

__global__ void winner(const uint16_t *__restrict__ total, uint8_t *__restrict__ disparity)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= COLS) return;
    const uint16_t *t = total + ((size_t)y * COLS + x) * DISP;
    int at = 0;
    uint16_t least = t[0];
    for (int d = 1; d < DISP; d++)
        if (t[d] < least) { least = t[d]; at = d; }
    disparity[y * COLS + x] = (uint8_t)at;
}

int main()
{
    const size_t n = (size_t)ROWS * COLS * DISP;
    uint8_t *cost, *disp; uint16_t *total;
    cudaMallocManaged(&cost, n);
    cudaMallocManaged(&total, n * sizeof(uint16_t));
    cudaMallocManaged(&disp, ROWS * COLS);
    for (size_t i = 0; i < n; i++) cost[i] = (uint8_t)((i * 2654435761u) >> 27);
    aggregate_right<<<ROWS, DISP>>>(cost, total, 3, 20);
    winner<<<dim3(COLS / 128, ROWS), 128>>>(total, disp);
    cudaDeviceSynchronize();
    printf("%d\n", disp[1000]);
}
