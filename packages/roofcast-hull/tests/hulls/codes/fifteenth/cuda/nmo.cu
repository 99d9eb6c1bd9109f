// Normal moveout of a common-midpoint gather: flatten, then stack what is not muted.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
constexpr int NTR = 96, NT = 2048;
constexpr float DT = 0.004f, INV_DT = 250.f;

__global__ void moveout(const float *__restrict__ gath, const float *__restrict__ offset, const float *__restrict__ vel,
                        float *__restrict__ flat)
{
    int it = blockIdx.x * blockDim.x + threadIdx.x, tr = blockIdx.y;
    float t0 = it * DT;
    float x = offset[tr], v = vel[it];
    float f = sqrtf(t0 * t0 + x * x / (v * v)) * INV_DT;
    int k = (int)f;
    float r = 0.f;
    if (k < NT - 1) {
        float w = f - k;
        r = (1.f - w) * gath[tr * NT + k] + w * gath[tr * NT + k + 1];
    }
    flat[tr * NT + it] = r;
}

__global__ void stack(const float *flat, float *out)
{
    int it = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.f;
    float fold = 0.f;
    for (int tr = 0; tr < NTR; ++tr) {
        float a = flat[tr * NT + it];
        s += a;
        fold += a != 0.f ? 1.f : 0.f;
    }
    out[it] = s / fmaxf(fold, 1.f);
}

int main()
{
    std::vector<float> hg(NTR * NT), ho(NTR), hv(NT);
    for (auto &a : hg) a = rand() / (float)RAND_MAX - 0.5f;
    for (int i = 0; i < NTR; ++i) ho[i] = 50.f + 25.f * i;
    for (int i = 0; i < NT; ++i) hv[i] = 1500.f + i;
    float *g, *o, *v, *f, *s;
    cudaMalloc(&g, NTR * NT * sizeof(float));
    cudaMalloc(&f, NTR * NT * sizeof(float));
    cudaMalloc(&o, NTR * sizeof(float));
    cudaMalloc(&v, NT * sizeof(float));
    cudaMalloc(&s, NT * sizeof(float));
    cudaMemcpy(g, hg.data(), NTR * NT * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(o, ho.data(), NTR * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(v, hv.data(), NT * sizeof(float), cudaMemcpyHostToDevice);
    moveout<<<dim3(NT / 256, NTR), 256>>>(g, o, v, f);
    stack<<<NT / 32, 32>>>(f, s);
    float x;
    cudaMemcpy(&x, s + 100, sizeof x, cudaMemcpyDeviceToHost);
    printf("%g %s\n", x, cudaGetErrorString(cudaGetLastError()));
}
