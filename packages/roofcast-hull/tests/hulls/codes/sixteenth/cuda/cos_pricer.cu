// Fang-Oosterlee cosine series: a block's strikes share the transformed characteristic function in shared memory
#include <cmath>
#include <cstdio>
#include <vector>

#define TERMS 256
#define STRIKES 65536

struct Term { float re, im; };

__global__ void cos_prices(const Term *__restrict__ phi, const float *__restrict__ payoff, const float *__restrict__ log_moneyness,
                           const float *__restrict__ strike, float *__restrict__ price, float lower, float width, float df)
{
    extern __shared__ float sh[];
    float *re = sh, *im = sh + TERMS, *u = im + TERMS;
    for (int k = threadIdx.x; k < TERMS; k += blockDim.x) {
        Term t = phi[k];
        re[k] = t.re;
        im[k] = t.im;
        u[k] = payoff[k];
    }
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (log_moneyness[i] - lower) * (3.14159265f / width);
    float acc = 0.0f;
    for (int k = 0; k < TERMS; k++) {
        float a = k * x;
        acc += u[k] * (re[k] * cosf(a) - im[k] * sinf(a));
    }
    price[i] = strike[i] * df * acc;
}

int main()
{
    std::vector<Term> phi(TERMS);
    std::vector<float> pay(TERMS), lm(STRIKES), ks(STRIKES);
    for (int k = 0; k < TERMS; k++) {
        float w = k * 3.14159265f / 4.0f;
        phi[k].re = expf(-0.02f * w * w) * cosf(0.01f * w);
        phi[k].im = expf(-0.02f * w * w) * sinf(0.01f * w);
        pay[k] = (k ? 1.0f : 0.5f) / (1.0f + w * w);
    }
    for (int i = 0; i < STRIKES; i++) { ks[i] = 50.0f + 0.001f * i; lm[i] = logf(100.0f / ks[i]); }
    Term *dphi; float *dpay, *dlm, *dks, *out;
    cudaMalloc(&dphi, TERMS * sizeof(Term));
    cudaMalloc(&dpay, TERMS * sizeof(float));
    cudaMalloc(&dlm, STRIKES * sizeof(float));
    cudaMalloc(&dks, STRIKES * sizeof(float));
    cudaMalloc(&out, STRIKES * sizeof(float));
    cudaMemcpy(dphi, phi.data(), TERMS * sizeof(Term), cudaMemcpyHostToDevice);
    cudaMemcpy(dpay, pay.data(), TERMS * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dlm, lm.data(), STRIKES * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dks, ks.data(), STRIKES * sizeof(float), cudaMemcpyHostToDevice);
    cos_prices<<<STRIKES / 128, 128, 3 * TERMS * sizeof(float)>>>(dphi, dpay, dlm, dks, out, -2.0f, 4.0f, 0.97f);
    cudaMemcpy(lm.data(), out, STRIKES * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", lm[100]);
}
