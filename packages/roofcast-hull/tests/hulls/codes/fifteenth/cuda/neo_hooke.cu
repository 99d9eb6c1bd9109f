// Green strain of deformation gradients (components one after another in memory) and the stored energy.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int NE = 400000;
#define FULL_MASK 0xffffffffu

__global__ void green_strain(const float *__restrict__ F, float *__restrict__ E)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= NE) return;
    float f[3][3];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            f[r][c] = F[(3 * r + c) * NE + e];
    auto col = [&](int a, int b) { return f[0][a] * f[0][b] + f[1][a] * f[1][b] + f[2][a] * f[2][b]; };
    E[0 * NE + e] = 0.5f * (col(0, 0) - 1.f);
    E[1 * NE + e] = 0.5f * (col(1, 1) - 1.f);
    E[2 * NE + e] = 0.5f * (col(2, 2) - 1.f);
    E[3 * NE + e] = 0.5f * col(1, 2);
    E[4 * NE + e] = 0.5f * col(0, 2);
    E[5 * NE + e] = 0.5f * col(0, 1);
}

__global__ void stored_energy(const float *E, const float *volume, float *total, float half_lambda, float mu)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    float w = 0.f;
    if (e < NE) {
        float xx = E[e], yy = E[NE + e], zz = E[2 * NE + e];
        float yz = E[3 * NE + e], xz = E[4 * NE + e], xy = E[5 * NE + e];
        float tr = xx + yy + zz;
        float dd = xx * xx + yy * yy + zz * zz + 2.f * (yz * yz + xz * xz + xy * xy);
        w = (half_lambda * tr * tr + mu * dd) * volume[e];
    }
    for (int o = 16; o > 0; o >>= 1) w += __shfl_down_sync(FULL_MASK, w, o);
    if (threadIdx.x % 32 == 0) atomicAdd(total, w);
}

int main()
{
    std::vector<float> hF(9 * NE), hv(NE);
    for (int k = 0; k < 9; ++k)
        for (int e = 0; e < NE; ++e)
            hF[k * NE + e] = (k % 4 == 0 ? 1.f : 0.f) + 0.02f * (rand() / (float)RAND_MAX - 0.5f);
    for (auto &v : hv) v = 1e-3f;
    float *F, *E, *vol, *tot, t;
    cudaMalloc(&F, 9 * NE * sizeof(float));
    cudaMalloc(&E, 6 * NE * sizeof(float));
    cudaMalloc(&vol, NE * sizeof(float));
    cudaMalloc(&tot, sizeof(float));
    cudaMemcpy(F, hF.data(), 9 * NE * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(vol, hv.data(), NE * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(tot, 0, sizeof(float));
    const int threads = 128, blocks = (NE + threads - 1) / threads;
    green_strain<<<blocks, threads>>>(F, E);
    stored_energy<<<blocks, threads>>>(E, vol, tot, 0.5f * 1.2e5f, 8e4f);
    cudaMemcpy(&t, tot, sizeof t, cudaMemcpyDeviceToHost);
    printf("%g\n", t);
}
