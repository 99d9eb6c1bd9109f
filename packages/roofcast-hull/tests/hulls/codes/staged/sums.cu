// Sums by trees, shuffles, groups and atomics, as people write them.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#define LEN (1 << 22)
#define ROWS 4096
#define COLS 1024

// The last block: 512 numbers by a tree whose loop halves.
__global__ void finish(const float *part, float *total)
{
    __shared__ float s[512];
    int t = threadIdx.x;
    s[t] = part[t];
    __syncthreads();
    for (unsigned half = 256; half >= 1; half >>= 1) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) *total = s[0];
}

// A row of a matrix for each block, times a vector.
__global__ void row_times_vector(const float *m, const float *x, float *y)
{
    namespace cg = cooperative_groups;
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    float v = 0.0f;
    for (int k = tile.thread_rank(); k < COLS; k += 32) v += m[row * COLS + k] * x[k];
    for (int d = 16; d > 0; d /= 2) v += tile.shfl_xor(v, d);
    if (tile.thread_rank() == 0) y[row] = v;
}

// The largest of each 2048 elements.
__global__ void tops(const float *x, float *top)
{
    __shared__ float s[256];
    float best = -1e30f;
    for (int k = 0; k < 8; k++) best = fmaxf(best, x[blockIdx.x * 2048 + k * 256 + threadIdx.x]);
    s[threadIdx.x] = best;
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (threadIdx.x < half) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) top[blockIdx.x] = s[0];
}

// Squares of everything: pairs of lanes by an exchange, one atomic for each warp.
__global__ void squares(const float *x, float *out)
{
    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < LEN; i += gridDim.x * blockDim.x) v = fmaf(x[i], x[i], v);
    unsigned mask = __activemask();
    for (int d = 1; d < 32; d <<= 1) v += __shfl_xor_sync(mask, v, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

int main()
{
    float *part, *total, *m, *v, *y, *x, *top;
    cudaMalloc(&part, 512 * sizeof(float));
    cudaMalloc(&total, sizeof(float));
    cudaMalloc(&m, ROWS * COLS * sizeof(float));
    cudaMalloc(&v, COLS * sizeof(float));
    cudaMalloc(&y, ROWS * sizeof(float));
    cudaMalloc(&x, LEN * sizeof(float));
    cudaMalloc(&top, LEN / 2048 * sizeof(float));
    finish<<<1, 512>>>(part, total);
    row_times_vector<<<ROWS / 8, 256>>>(m, v, y);
    squares<<<512, 128>>>(x, total);
    tops<<<LEN / 2048, 256>>>(x, top);
    return 0;
}
