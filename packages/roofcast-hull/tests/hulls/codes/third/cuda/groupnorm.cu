#include <cuda_runtime.h>
#include <math.h>

// group norm in two kernels. NCHW, 4 channels in a group
static const int N = 8, C = 128, HW = 1024, GROUPS = 32;
#define THREADS 256

__global__ void group_stats(const float* x, float* mean, float* rstd, int per_group, float eps)
{
    __shared__ float s1[THREADS];
    __shared__ float s2[THREADS];
    const float* xs = x + (size_t)blockIdx.x * per_group;
    float a = 0.f, b = 0.f;
    for (int i = threadIdx.x; i < per_group; i += THREADS) {
        float v = xs[i];
        a += v;
        b += v * v;
    }
    s1[threadIdx.x] = a;
    s2[threadIdx.x] = b;
    __syncthreads();
    for (int half = THREADS >> 1; half; half >>= 1) {
        if (threadIdx.x < half) {
            s1[threadIdx.x] += s1[threadIdx.x + half];
            s2[threadIdx.x] += s2[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        float m = s1[0] / per_group;
        mean[blockIdx.x] = m;
        rstd[blockIdx.x] = rsqrtf(s2[0] / per_group - m * m + eps);
    }
}

__global__ void group_apply(const float* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ rstd,
                            const float* __restrict__ gamma, const float* __restrict__ beta, float* __restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int nc = blockIdx.y;
    if (i >= HW) return;
    int c = nc % C;
    int g = nc / (C / GROUPS);
    y[nc * HW + i] = (x[nc * HW + i] - mean[g]) * rstd[g] * gamma[c] + beta[c];
}

int main()
{
    float *x, *y, *mean, *rstd, *gamma, *beta;
    cudaMalloc((void**)&x, N * C * HW * sizeof(float));
    cudaMalloc((void**)&y, N * C * HW * sizeof(float));
    cudaMalloc((void**)&mean, N * GROUPS * sizeof(float));
    cudaMalloc((void**)&rstd, N * GROUPS * sizeof(float));
    cudaMalloc((void**)&gamma, C * sizeof(float));
    cudaMalloc((void**)&beta, C * sizeof(float));
    group_stats<<<N * GROUPS, THREADS>>>(x, mean, rstd, C / GROUPS * HW, 1e-5f);
    group_apply<<<dim3(HW / 256, N * C), 256>>>(x, mean, rstd, gamma, beta, y);
    cudaDeviceSynchronize();
}
