#include <cub/cub.cuh>
#include <cuda_runtime.h>

template <unsigned int BS>
__global__ void reduce_template(const int *g_in, int *g_out, unsigned int n)
{
    __shared__ int sdata[BS];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (BS * 2) + tid;
    int sum = (i < n) ? g_in[i] : 0;
    if (i + BS < n) sum += g_in[i + BS];
    sdata[tid] = sum;
    __syncthreads();
    for (unsigned int s = BS / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_out[blockIdx.x] = sdata[0];
}

template <int THREADS>
__global__ void block_sum_cub(const float *in, float *out, int n)
{
    using BlockReduce = cub::BlockReduce<float, THREADS>;
    __shared__ typename BlockReduce::TempStorage temp;
    float v = 0.f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += THREADS * gridDim.x) v += in[i];
    float s = BlockReduce(temp).Sum(v);
    if (threadIdx.x == 0) atomicAdd(out, s);
}

__inline__ __device__ float warp_max(float v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
    return v;
}

__global__ void row_max(const float *a, float *m, int cols)
{
    const float *row = a + (size_t)blockIdx.x * cols;
    float v = -1e30f;
    for (int c = threadIdx.x; c < cols; c += 32) v = fmaxf(v, row[c]);
    v = warp_max(v);
    if (threadIdx.x == 0) m[blockIdx.x] = v;
}

__global__ void squared_error(const double *p, const double *t, double *loss, int n)
{
    __shared__ double part[256];
    double s = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        double d = p[i] - t[i];
        s += d * d;
        i += gridDim.x * blockDim.x;
    }
    part[threadIdx.x] = s;
    __syncthreads();
    for (int k = 128; k >= 1; k = k / 2) {
        if (threadIdx.x < k) part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(loss, part[0]);
}

__global__ void column_sums(const float *m, float *s, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float acc = 0;
    for (int r = 0; r < rows; ++r) acc += m[r * cols + c];
    s[c] = acc;
}

int main()
{
    int n = 1 << 24;
    int *gi, *go;
    float *f, *fo, *a, *m, *cs;
    double *p, *t, *loss;
    cudaMalloc(&gi, n * 4);
    cudaMalloc(&go, (n / 512) * 4);
    reduce_template<256><<<n / 512, 256>>>(gi, go, n);
    cudaMalloc(&f, n * 4);
    cudaMalloc(&fo, 4);
    block_sum_cub<128><<<640, 128>>>(f, fo, n);
    cudaMalloc(&a, 4096 * 1000 * 4);
    cudaMalloc(&m, 4096 * 4);
    row_max<<<4096, 32>>>(a, m, 1000);
    cudaMalloc(&p, 3000000 * 8);
    cudaMalloc(&t, 3000000 * 8);
    cudaMalloc(&loss, 8);
    squared_error<<<256, 256>>>(p, t, loss, 3000000);
    cudaMalloc(&cs, 1000 * 4);
    column_sums<<<(1000 + 127) / 128, 128>>>(a, cs, 4096, 1000);
    cudaDeviceSynchronize();
}
