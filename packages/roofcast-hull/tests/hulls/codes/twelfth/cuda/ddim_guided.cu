// Deterministic DDIM step with classifier-free guidance, latents of 8 images (4 x 64 x 64).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int kBatch = 8;
constexpr int kLatent = 4 * 64 * 64;

// eps holds the unconditional half first, then the conditional one
__global__ void guide(const float *__restrict__ eps, float *__restrict__ out, float g, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float u = eps[i];
    const float c = eps[n + i];
    out[i] = u + g * (c - u);
}

__global__ void ddim_step(const float *x, const float *eps, const float *abar, const float *abar_prev,
                          float *x_prev, int per_sample) {
    const int b = blockIdx.y;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= per_sample) return;
    const long at = (long)b * per_sample + i;
    const float a = abar[b], ap = abar_prev[b];
    const float e = eps[at];
    float x0 = (x[at] - sqrtf(1.0f - a) * e) / sqrtf(a);
    x0 = fminf(fmaxf(x0, -1.0f), 1.0f);
    x_prev[at] = sqrtf(ap) * x0 + sqrtf(1.0f - ap) * e;
}

int main() {
    const int n = kBatch * kLatent;
    std::vector<float> hx(n), he(2 * n), ha(kBatch), hp(kBatch);
    for (int i = 0; i < n; ++i) hx[i] = 0.001f * (i % 2003) - 1.0f;
    for (int i = 0; i < 2 * n; ++i) he[i] = 0.002f * (i % 991) - 0.9f;
    for (int b = 0; b < kBatch; ++b) { ha[b] = 0.3f + 0.05f * b; hp[b] = 0.35f + 0.05f * b; }
    float *x, *eps, *e, *a, *p, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&eps, 2 * n * sizeof(float));
    cudaMalloc(&e, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&a, kBatch * sizeof(float));
    cudaMalloc(&p, kBatch * sizeof(float));
    cudaMemcpy(x, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(eps, he.data(), 2 * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(a, ha.data(), kBatch * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(p, hp.data(), kBatch * sizeof(float), cudaMemcpyHostToDevice);
    guide<<<(n + 255) / 256, 256>>>(eps, e, 7.5f, n);
    ddim_step<<<dim3((kLatent + 255) / 256, kBatch), 256>>>(x, e, a, p, y, kLatent);
    cudaMemcpy(hx.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", hx[77]);
    return 0;
}
