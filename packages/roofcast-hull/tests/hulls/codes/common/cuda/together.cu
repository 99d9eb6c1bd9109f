#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define T 16

// Both sides of a small matrix: m x m', the first product kept in shared memory.
__constant__ float m[T * T];
__global__ void both_sides(const float *in, float *out, int width)
{
    __shared__ float a[T][T], half_way[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    int at = (blockIdx.y * T + y) * width + blockIdx.x * T + x;
    a[y][x] = in[at];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < T; k++) s += m[y * T + k] * a[k][x];
    half_way[y][x] = s;
    __syncthreads();
    float r = 0;
    for (int k = 0; k < T; k++) r += half_way[y][k] * m[x * T + k];
    out[at] = r;
}

// Mean and variance of a channel by two trees side by side.
__global__ void moments(const float *x, float *mean, float *var, int n)
{
    __shared__ float a[128], b[128];
    int t = threadIdx.x;
    float s = 0, q = 0;
    for (int i = t; i < n; i += blockDim.x) {
        float v = x[blockIdx.x * n + i];
        s += v;
        q += v * v;
    }
    a[t] = s;
    b[t] = q;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (t < k) {
            a[t] += a[t + k];
            b[t] += b[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        mean[blockIdx.x] = a[0] / n;
        var[blockIdx.x] = b[0] / n - (a[0] / n) * (a[0] / n);
    }
}

__device__ __forceinline__ float over_warp(float v)
{
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// A warp for each row of pairs of halves.
__global__ void times_vector(const __half2 *w, const __half2 *x, float *y, int rows, int pairs)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float s = 0;
    for (int k = lane; k < pairs; k += 32) {
        float2 a = __half22float2(w[row * pairs + k]), b = __half22float2(x[k]);
        s += a.x * b.x + a.y * b.y;
    }
    s = over_warp(s);
    if (lane == 0) y[row] = s;
}

// Where the smallest number of each row is.
__global__ void argmin(const float *x, int *where, int n)
{
    __shared__ float value[256];
    __shared__ int place[256];
    int t = threadIdx.x, p = 0;
    float v = 1e30f;
    for (int i = t; i < n; i += 256)
        if (x[blockIdx.x * n + i] < v) {
            v = x[blockIdx.x * n + i];
            p = i;
        }
    value[t] = v;
    place[t] = p;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k && value[t + k] < value[t]) {
            value[t] = value[t + k];
            place[t] = place[t + k];
        }
        __syncthreads();
    }
    if (t == 0) where[blockIdx.x] = place[0];
}

__global__ void axpy4(float a, const float *x, float *y, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        float4 u = *reinterpret_cast<const float4 *>(x + i);
        float4 v = *reinterpret_cast<float4 *>(&y[i]);
        v.x += a * u.x;
        v.y += a * u.y;
        v.z += a * u.z;
        v.w += a * u.w;
        reinterpret_cast<float4 *>(y)[i / 4] = v;
    }
}

struct Cloud { float *x, *y, *m; int count; };
__global__ void centre(Cloud c, float *out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < c.count; i += gridDim.x * blockDim.x)
        out[i] = c.m[i] * (c.x[i] + c.y[i]);
}

__global__ void count_bytes(const unsigned char *in, unsigned *all, int n)
{
    __shared__ unsigned mine[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&all[k], mine[k]);
}

int main()
{
    const int width = 2048, height = 1024, channels = 512, n = 5000, rows = 6000, pairs = 512;
    float *a, *b, *c, *d, *y;
    __half2 *w, *x;
    int *where;
    unsigned char *bytes;
    unsigned *all;
    cudaMalloc(&a, width * height * sizeof(float));
    cudaMalloc(&b, width * height * sizeof(float));
    both_sides<<<dim3(width / T, height / T), dim3(T, T)>>>(a, b, width);
    cudaMalloc(&c, channels * n * sizeof(float));
    cudaMalloc(&d, 2 * channels * sizeof(float));
    moments<<<channels, 128>>>(c, d, d + channels, n);
    cudaMalloc(&w, (size_t)rows * pairs * sizeof(__half2));
    cudaMalloc(&x, pairs * sizeof(__half2));
    cudaMalloc(&y, rows * sizeof(float));
    times_vector<<<rows / 8, 256>>>(w, x, y, rows, pairs);
    cudaMalloc(&where, channels * sizeof(int));
    argmin<<<channels, 256>>>(c, where, n);
    axpy4<<<width * height / 1024, 256>>>(2.0f, a, b, width * height);
    Cloud cloud;
    cloud.count = 300000;
    cudaMalloc(&cloud.x, cloud.count * sizeof(float));
    cudaMalloc(&cloud.y, cloud.count * sizeof(float));
    cudaMalloc(&cloud.m, cloud.count * sizeof(float));
    float *out;
    cudaMalloc(&out, cloud.count * sizeof(float));
    centre<<<320, 128>>>(cloud, out);
    cudaMalloc(&bytes, 10000000);
    cudaMalloc(&all, 256 * sizeof(unsigned));
    count_bytes<<<160, 256>>>(bytes, all, 10000000);
    cudaDeviceSynchronize();
    return 0;
}
