// Negative log-likelihood of a mixture density head with eight Gaussians
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int BATCH = 1 << 16;
constexpr int COMP = 8;

__global__ void mixture_nll(const float *__restrict__ logit, const float *__restrict__ mu,
                            const float *__restrict__ inv_sigma, const float *__restrict__ y, float *__restrict__ nll)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= BATCH) return;
    float target = y[b], lp[COMP], lg[COMP];
    float top = -INFINITY, gate = -INFINITY;
#pragma unroll
    for (int k = 0; k < COMP; k++) {
        float is = inv_sigma[k * BATCH + b];
        float z = (target - mu[k * BATCH + b]) * is;
        lg[k] = logit[k * BATCH + b];
        lp[k] = lg[k] - 0.5f * z * z + logf(is);
        top = fmaxf(top, lp[k]);
        gate = fmaxf(gate, lg[k]);
    }
    float s = 0.f, g = 0.f;
#pragma unroll
    for (int k = 0; k < COMP; k++) {
        s += expf(lp[k] - top);
        g += expf(lg[k] - gate);
    }
    nll[b] = (logf(g) + gate) - (logf(s) + top);
}

int main()
{
    std::vector<float> l(BATCH * COMP), m(BATCH * COMP), s(BATCH * COMP), y(BATCH);
    for (int i = 0; i < BATCH * COMP; i++) {
        l[i] = sinf(i * 0.1f);
        m[i] = (i / BATCH - 3.5f) * 0.5f;
        s[i] = 1.f + 0.5f * cosf(i * 0.3f);
    }
    for (int i = 0; i < BATCH; i++) y[i] = sinf(i * 0.7f);
    float *dl, *dm, *ds, *dy, *out;
    cudaMalloc(&dl, BATCH * COMP * sizeof(float));
    cudaMalloc(&dm, BATCH * COMP * sizeof(float));
    cudaMalloc(&ds, BATCH * COMP * sizeof(float));
    cudaMalloc(&dy, BATCH * sizeof(float));
    cudaMalloc(&out, BATCH * sizeof(float));
    cudaMemcpy(dl, l.data(), BATCH * COMP * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dm, m.data(), BATCH * COMP * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(ds, s.data(), BATCH * COMP * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), BATCH * sizeof(float), cudaMemcpyHostToDevice);
    mixture_nll<<<BATCH / 256, 256>>>(dl, dm, ds, dy, out);
    cudaMemcpy(y.data(), out, BATCH * sizeof(float), cudaMemcpyDeviceToHost);
    double mean = 0;
    for (float v : y) mean += v / BATCH;
    printf("%f\n", mean);
}
