// desk of a broadcast van: level followers, gain ride, down-mix of many channels to eight buses
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

namespace desk {
constexpr int CH = 2048, T = 4800, BUS = 8;

__global__ void follow(const float *x, float *env, float up, float down)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float e = 0.f;
    for (int t = 0; t < T; ++t) {
        float a = fabsf(x[t * CH + c]);
        float k = a > e ? up : down;
        e += k * (a - e);
        env[t * CH + c] = e;
    }
}

__global__ void ride(float *x, const float *env, float thr, float ratio)
{
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    float over = fmaxf(env[i] / thr, 1.f);
    x[i] *= powf(over, ratio);
}

__global__ void mixdown(const float *x, const float *gain, float *bus)
{
    __shared__ float s[BUS][256];
    int t = blockIdx.x;
    float a[BUS] = {0};
    for (int c = threadIdx.x; c < CH; c += 256) {
        float v = x[t * CH + c];
#pragma unroll
        for (int b = 0; b < BUS; ++b) a[b] += v * gain[b * CH + c];
    }
    for (int b = 0; b < BUS; ++b) s[b][threadIdx.x] = a[b];
    __syncthreads();
    for (int h = 128; h; h >>= 1) {
        if (threadIdx.x < h)
            for (int b = 0; b < BUS; ++b) s[b][threadIdx.x] += s[b][threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x < BUS) bus[t * BUS + threadIdx.x] = s[threadIdx.x][0];
}
}

int main()
{
    using namespace desk;
    std::vector<float> x((size_t)T * CH), g(BUS * CH);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 0.5f * sinf(0.01f * (i / CH) * (1 + i % 13));
    for (size_t i = 0; i < g.size(); ++i) g[i] = (i % 9) * 0.01f;
    float *dx, *de, *dg, *db;
    cudaMalloc(&dx, x.size() * 4); cudaMalloc(&de, x.size() * 4);
    cudaMalloc(&dg, g.size() * 4); cudaMalloc(&db, T * BUS * 4);
    cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dg, g.data(), g.size() * 4, cudaMemcpyHostToDevice);
    follow<<<CH / 64, 64>>>(dx, de, 0.02f, 0.0005f);
    ride<<<dim3(CH / 256, T), 256>>>(dx, de, 0.25f, -0.6f);
    mixdown<<<T, 256>>>(dx, dg, db);
    float v;
    cudaMemcpy(&v, db + 8000, 4, cudaMemcpyDeviceToHost);
    printf("%f\n", v);
}
