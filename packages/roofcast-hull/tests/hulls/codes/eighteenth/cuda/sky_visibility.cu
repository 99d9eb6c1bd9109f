// Model visibilities of a list of point sources by direct summation, and residuals against the data with weights.
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

constexpr int NVIS = 200000;
constexpr int NSRC = 500;

struct Source { float l, m, n1, flux; };
__constant__ Source sky[NSRC];

__global__ void predict_vis(const float3* uvw, float2* model)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= NVIS) return;
    const float3 b = uvw[v];
    float re = 0.f, im = 0.f;
    for (int s = 0; s < NSRC; ++s) {
        float ph = -2.f * (b.x * sky[s].l + b.y * sky[s].m + b.z * sky[s].n1);
        float sn, cs;
        sincospif(ph, &sn, &cs);
        re += sky[s].flux * cs;
        im += sky[s].flux * sn;
    }
    model[v] = make_float2(re, im);
}

__global__ void chi_square(const float2* data, const float2* model, const float* weight, float* chi2)
{
    __shared__ float s[128];
    float c = 0.f;
    for (int v = blockIdx.x * 128 + threadIdx.x; v < NVIS; v += gridDim.x * 128) {
        float dr = data[v].x - model[v].x;
        float di = data[v].y - model[v].y;
        c += weight[v] * (dr * dr + di * di);
    }
    s[threadIdx.x] = c;
    __syncthreads();
    for (int k = 64; k; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(chi2, s[0]);
}

int main()
{
    static Source h[NSRC];
    for (int s = 0; s < NSRC; ++s) {
        float l = 0.01f * sinf(s * 1.7f), m = 0.01f * cosf(s * 0.9f);
        h[s] = {l, m, sqrtf(1 - l * l - m * m) - 1.f, 1.f / (1 + s)};
    }
    cudaMemcpyToSymbol(sky, h, sizeof h);
    float3* uvw; float2 *data, *model; float *w, *chi;
    cudaMallocManaged(&uvw, NVIS * sizeof(float3));
    cudaMallocManaged(&data, NVIS * sizeof(float2));
    cudaMallocManaged(&model, NVIS * sizeof(float2));
    cudaMallocManaged(&w, NVIS * sizeof(float));
    cudaMallocManaged(&chi, sizeof(float));
    for (int v = 0; v < NVIS; ++v) {
        uvw[v] = make_float3(v % 1000 - 500, v / 400 - 250, v % 37);
        data[v] = make_float2(1.f, 0.f);
        w[v] = 0.5f;
    }
    *chi = 0;
    predict_vis<<<(NVIS + 127) / 128, 128>>>(uvw, model);
    chi_square<<<132, 128>>>(data, model, w, chi);
    cudaDeviceSynchronize();
    printf("%f\n", *chi);
}
