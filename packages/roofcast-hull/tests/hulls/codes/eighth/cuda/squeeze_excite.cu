// Squeeze-and-excitation block of a CNN (NCHW): channel means, two small dense layers, rescaling of the planes.
// Blind set: classes by hand; operations counted in Python for one plane, one image, one element.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BATCH 64
#define CHANNELS 512
#define SIDE 56
#define PLANE (SIDE * SIDE)
#define HIDDEN 32

#define CUDACHECK(cmd) do {                                     \
    cudaError_t e = cmd;                                        \
    if (e != cudaSuccess) {                                     \
        printf("Failed: Cuda error %s:%d '%s'\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
        exit(EXIT_FAILURE);                                     \
    }                                                           \
} while (0)

// grid: one block per plane
__global__ void se_pool(const float *__restrict__ x, float *__restrict__ mean)
{
    __shared__ float sm[128];
    const float *p = x + (size_t)blockIdx.x * PLANE;
    float s = 0.f;
    for (int i = threadIdx.x; i < PLANE; i += blockDim.x) s += p[i];
    sm[threadIdx.x] = s;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) sm[threadIdx.x] += sm[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) mean[blockIdx.x] = sm[0] / PLANE;
}

// grid: one block of CHANNELS threads per image
__global__ void se_gate(const float *__restrict__ mean, const float *__restrict__ w1, const float *__restrict__ b1,
                        const float *__restrict__ w2, const float *__restrict__ b2, float *__restrict__ gate)
{
    __shared__ float in[CHANNELS];
    __shared__ float hid[HIDDEN];
    const int n = blockIdx.x, c = threadIdx.x;
    in[c] = mean[n * CHANNELS + c];
    __syncthreads();
    if (c < HIDDEN) {
        float a = b1[c];
        for (int k = 0; k < CHANNELS; ++k) a += w1[c * CHANNELS + k] * in[k];
        hid[c] = fmaxf(a, 0.f);
    }
    __syncthreads();
    float a = b2[c];
    for (int k = 0; k < HIDDEN; ++k) a += w2[c * HIDDEN + k] * hid[k];
    gate[n * CHANNELS + c] = 1.f / (1.f + __expf(-a));
}

__global__ void se_scale(const float4 *__restrict__ x, const float *__restrict__ gate, float4 *__restrict__ y, int total4)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total4) return;
    const float g = gate[i / (PLANE / 4)];
    float4 v = x[i];
    v.x *= g;
    v.y *= g;
    v.z *= g;
    v.w *= g;
    y[i] = v;
}

__global__ void ramp(float *p, size_t n, float s)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = s * (float)((int)(i % 127) - 60);
}

int main()
{
    const size_t n = (size_t)BATCH * CHANNELS * PLANE;
    float *x, *y, *mean, *gate, *w1, *b1, *w2, *b2;
    CUDACHECK(cudaMalloc(&x, n * sizeof(float)));
    CUDACHECK(cudaMalloc(&y, n * sizeof(float)));
    CUDACHECK(cudaMalloc(&mean, BATCH * CHANNELS * sizeof(float)));
    CUDACHECK(cudaMalloc(&gate, BATCH * CHANNELS * sizeof(float)));
    CUDACHECK(cudaMalloc(&w1, HIDDEN * CHANNELS * sizeof(float)));
    CUDACHECK(cudaMalloc(&b1, HIDDEN * sizeof(float)));
    CUDACHECK(cudaMalloc(&w2, HIDDEN * CHANNELS * sizeof(float)));
    CUDACHECK(cudaMalloc(&b2, CHANNELS * sizeof(float)));
    ramp<<<1024, 256>>>(x, n, 0.02f);
    ramp<<<64, 256>>>(w1, HIDDEN * CHANNELS, 0.003f);
    ramp<<<64, 256>>>(w2, HIDDEN * CHANNELS, 0.005f);
    ramp<<<1, 256>>>(b1, HIDDEN, 0.01f);
    ramp<<<2, 256>>>(b2, CHANNELS, 0.01f);

    const int total4 = (int)(n / 4);
    for (int it = 0; it < 3; ++it) {
        se_pool<<<BATCH * CHANNELS, 128>>>(x, mean);
        se_gate<<<BATCH, CHANNELS>>>(mean, w1, b1, w2, b2, gate);
        se_scale<<<(total4 + 255) / 256, 256>>>((const float4 *)x, gate, (float4 *)y, total4);
        CUDACHECK(cudaGetLastError());
    }
    CUDACHECK(cudaDeviceSynchronize());
    float h;
    CUDACHECK(cudaMemcpy(&h, gate, sizeof(float), cudaMemcpyDeviceToHost));
    printf("gate[0] = %f\n", h);
    cudaFree(x); cudaFree(y); cudaFree(mean); cudaFree(gate);
    cudaFree(w1); cudaFree(b1); cudaFree(w2); cudaFree(b2);
    return 0;
}
