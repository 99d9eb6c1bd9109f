// Cliquet with local caps and floors: payoff of each path, and the sums that give mean and error.
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define PATHS 262144
#define RESETS 12

__global__ void payoffs(const float* z, float* pay, float drift, float vol, float lo, float hi, float least, float disc)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.f;
    const float* walk = z + p;
    for (int m = 0; m < RESETS; ++m, walk += PATHS) {
        float r = expf(drift + vol * *walk) - 1.f;
        total += fminf(fmaxf(r, lo), hi);
    }
    pay[p] = fmaxf(total, least) * disc;
}

__global__ void moments(const float* pay, float* stat)
{
    float s = 0.f, q = 0.f;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < PATHS; p += gridDim.x * blockDim.x) {
        float v = pay[p];
        s += v;
        q += v * v;
    }
    for (int o = 16; o > 0; o /= 2) {
        s += __shfl_down_sync(0xffffffffu, s, o);
        q += __shfl_down_sync(0xffffffffu, q, o);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&stat[0], s);
        atomicAdd(&stat[1], q);
    }
}

int main()
{
    std::vector<float> h(PATHS * RESETS);
    for (auto& v : h) {
        float a = (rand() + 1.0f) / (RAND_MAX + 2.0f), b = rand() / (float)RAND_MAX;
        v = sqrtf(-2.f * logf(a)) * cosf(6.2831853f * b);
    }
    float *z, *pay, *st, out[2];
    cudaMalloc(&z, sizeof(float) * PATHS * RESETS);
    cudaMalloc(&pay, sizeof(float) * PATHS);
    cudaMalloc(&st, sizeof(float) * 2);
    cudaMemset(st, 0, sizeof(float) * 2);
    cudaMemcpy(z, h.data(), sizeof(float) * h.size(), cudaMemcpyHostToDevice);
    payoffs<<<PATHS / 256, 256>>>(z, pay, 0.0005f, 0.06f, -0.03f, 0.05f, 0.0f, 0.97f);
    moments<<<256, 256>>>(pay, st);
    cudaMemcpy(out, st, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%f %f\n", out[0] / PATHS, sqrtf(out[1] / PATHS));
}
