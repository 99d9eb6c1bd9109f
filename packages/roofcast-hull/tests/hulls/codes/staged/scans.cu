// Running sums, as people write them: in shared memory, by shuffles, in two launches.
#include <cuda_runtime.h>

#define N (1 << 20)
#define B 256

// Hillis and Steele, two buffers in one array.
__global__ void hillis_steele(const float *in, float *out, int n)
{
    __shared__ float buf[2][B];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int cur = 0;
    buf[0][t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d <<= 1) {
        int nxt = 1 - cur;
        buf[nxt][t] = t >= d ? buf[cur][t] + buf[cur][t - d] : buf[cur][t];
        cur = nxt;
        __syncthreads();
    }
    if (i < n) out[i] = buf[cur][t];
}

// Blelloch's two sweeps, exclusive, with the sum of each block beside.
__global__ void blelloch(int *data, int *sums)
{
    extern __shared__ int s[];
    int t = threadIdx.x, base = 2 * blockIdx.x * blockDim.x;
    s[2 * t] = data[base + 2 * t];
    s[2 * t + 1] = data[base + 2 * t + 1];
    int gap = 1;
    for (int d = blockDim.x; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[gap * (2 * t + 2) - 1] += s[gap * (2 * t + 1) - 1];
        gap *= 2;
    }
    if (t == 0) { sums[blockIdx.x] = s[2 * blockDim.x - 1]; s[2 * blockDim.x - 1] = 0; }
    for (int d = 1; d <= blockDim.x; d *= 2) {
        gap >>= 1;
        __syncthreads();
        if (t < d) {
            int left = gap * (2 * t + 1) - 1, right = gap * (2 * t + 2) - 1;
            int held = s[left];
            s[left] = s[right];
            s[right] += held;
        }
    }
    __syncthreads();
    data[base + 2 * t] = s[2 * t];
    data[base + 2 * t + 1] = s[2 * t + 1];
}

// Each warp its own 32.
__global__ void warp_scan(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i];
    int lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d *= 2) {
        double up = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += up;
    }
    y[i] = v;
}

__device__ float scan_of_warp(float v)
{
    for (int d = 1; d < 32; d <<= 1) {
        float up = __shfl_up_sync(0xffffffff, v, d);
        if ((threadIdx.x & 31) >= d) v += up;
    }
    return v;
}

// Warps first, then the sums of warps; four elements a thread.
__global__ void block_scan4(const float4 *in, float4 *out)
{
    __shared__ float of_warp[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    v.y += v.x; v.z += v.y; v.w += v.z;
    float total = scan_of_warp(v.w);
    if (lane == 31) of_warp[warp] = total;
    __syncthreads();
    if (warp == 0) {
        float s = lane < blockDim.x / 32 ? of_warp[lane] : 0.0f;
        s = scan_of_warp(s);
        of_warp[lane] = s;
    }
    __syncthreads();
    float before = total - v.w + (warp > 0 ? of_warp[warp - 1] : 0.0f);
    v.x += before; v.y += before; v.z += before; v.w += before;
    out[i] = v;
}

// What the blocks before add up to.
__global__ void add_before(float *out, const float *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && blockIdx.x > 0) out[i] += sums[blockIdx.x - 1];
}

// The largest so far.
__global__ void running_max(const int *h, int *best)
{
    __shared__ int m[512];
    int t = threadIdx.x;
    m[t] = h[blockIdx.x * 512 + t];
    for (int d = 1; d < 512; d *= 2) {
        __syncthreads();
        int other = t >= d ? m[t - d] : m[t];
        __syncthreads();
        m[t] = max(m[t], other);
    }
    best[blockIdx.x * 512 + t] = m[t];
}

// Looks like a scan and is none: the last stages are left out.
__global__ void windowed(const float *in, float *out)
{
    __shared__ float s[B];
    int t = threadIdx.x, i = blockIdx.x * B + t;
    s[t] = in[i];
    __syncthreads();
    for (int d = 1; d < 8; d *= 2) {
        float v = t >= d ? s[t - d] : 0.0f;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    out[i] = s[t];
}

int main()
{
    float *in, *out, *sums;
    int *data, *isums, *h, *best;
    double *x, *y;
    cudaMalloc(&in, N * sizeof(float));
    cudaMalloc(&out, N * sizeof(float));
    cudaMalloc(&sums, (N / B) * sizeof(float));
    cudaMalloc(&data, N * sizeof(int));
    cudaMalloc(&isums, (N / 512) * sizeof(int));
    cudaMalloc(&h, N * sizeof(int));
    cudaMalloc(&best, N * sizeof(int));
    cudaMalloc(&x, 1000000 * sizeof(double));
    cudaMalloc(&y, 1000000 * sizeof(double));
    hillis_steele<<<N / B, B>>>(in, out, N);
    blelloch<<<N / 512, 256, 512 * sizeof(int)>>>(data, isums);
    warp_scan<<<(1000000 + 127) / 128, 128>>>(x, y, 1000000);
    block_scan4<<<N / 1024, 256>>>((const float4 *)in, (float4 *)out);
    add_before<<<N / B, B>>>(out, sums, N);
    running_max<<<N / 512, 512>>>(h, best);
    windowed<<<N / B, B>>>(in, out);
    cudaDeviceSynchronize();
    return 0;
}
