// Paths of a model with stochastic variance; the normal numbers were drawn before.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

struct HestonModel {
    float s0, v0, drift, kappa, theta, xi, rho, rho_bar, strike, discount, dt, sqrt_dt;
};

__global__ void heston_paths(const float* z1, const float* z2, float* payoff, HestonModel md, int paths, int steps)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    float s = md.s0;
    float v = md.v0;
    for (int t = 0; t < steps; ++t) {
        float a = z1[t * paths + p];
        float b = md.rho * a + md.rho_bar * z2[t * paths + p];
        float vp = fmaxf(v, 0.0f);
        float root = sqrtf(vp) * md.sqrt_dt;
        s *= expf((md.drift - 0.5f * vp) * md.dt + root * a);
        v += md.kappa * (md.theta - vp) * md.dt + md.xi * root * b;
    }
    payoff[p] = md.discount * fmaxf(s - md.strike, 0.0f);
}

int main()
{
    const int paths = 40000, steps = 64;
    float* h = (float*)malloc(sizeof(float) * paths * steps);
    for (int i = 0; i < paths * steps; ++i) h[i] = 2.0f * rand() / RAND_MAX - 1.0f;
    float *z1, *z2, *payoff;
    cudaMalloc(&z1, sizeof(float) * paths * steps);
    cudaMalloc(&z2, sizeof(float) * paths * steps);
    cudaMalloc(&payoff, sizeof(float) * paths);
    cudaMemcpy(z1, h, sizeof(float) * paths * steps, cudaMemcpyHostToDevice);
    cudaMemcpy(z2, h, sizeof(float) * paths * steps, cudaMemcpyHostToDevice);
    HestonModel md = {100.f, 0.04f, 0.02f, 1.5f, 0.04f, 0.3f, -0.7f, 0.714f, 105.f, 0.98f, 1.0f / 64, 0.125f};
    heston_paths<<<(paths + 127) / 128, 128>>>(z1, z2, payoff, md, paths, steps);
    cudaMemcpy(h, payoff, sizeof(float) * paths, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < paths; ++i) sum += h[i];
    printf("price %f\n", sum / paths);
    cudaFree(z1);
    cudaFree(z2);
    cudaFree(payoff);
    free(h);
    return 0;
}
