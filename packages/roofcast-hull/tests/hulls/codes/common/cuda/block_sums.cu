#include <cuda_runtime.h>
__global__ void reduce_classic(const float *in, float *out, unsigned n)
{
    extern __shared__ float s[];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    s[t] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 32; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32) {
        volatile float *v = s;
        v[t] += v[t + 32]; v[t] += v[t + 16]; v[t] += v[t + 8]; v[t] += v[t + 4]; v[t] += v[t + 2]; v[t] += v[t + 1];
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__device__ void warp_reduce(volatile int *s, int t) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1]; }
__global__ void reduce6(const int *in, int *out, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    int v = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += 256 * gridDim.x) v += in[i];
    s[t] = v;
    __syncthreads();
    if (t < 128) s[t] += s[t + 128];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) warp_reduce(s, t);
    if (t == 0) atomicAdd(out, s[0]);
}
__global__ void two_stage(const float *x, float *y, int n)
{
    __shared__ float part[32];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += x[i] * x[i];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
    if (lane == 0) part[w] = v;
    __syncthreads();
    if (w == 0) {
        v = lane < blockDim.x / 32 ? part[lane] : 0.f;
        for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
        if (lane == 0) atomicAdd(y, v);
    }
}
__global__ void layer_stats(const float *x, float *mean, int cols)
{
    __shared__ float part[8];
    float v = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) v += x[blockIdx.x * cols + c];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < 8 ? part[threadIdx.x] : 0;
    if (threadIdx.x < 32) for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    if (threadIdx.x == 0) mean[blockIdx.x] = v / cols;
}
int main()
{
    float *a, *b, *c, *d, *m; int *x, *y;
    cudaMalloc(&a, 1 << 26); cudaMalloc(&b, 1 << 20); cudaMalloc(&x, 1 << 26); cudaMalloc(&y, 4);
    reduce_classic<<<(1 << 24) / 512, 256, 256 * 4>>>(a, b, 1 << 24);
    reduce6<<<128, 256>>>(x, y, 1 << 24);
    two_stage<<<128, 256>>>(a, b, 1 << 24);
    layer_stats<<<4096, 256>>>(a, m, 1024);
}
