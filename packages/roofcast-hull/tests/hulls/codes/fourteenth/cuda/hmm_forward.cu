// Log-likelihoods of symbol sequences under a hidden Markov model: scaled forward recursion, a block of 16 threads each.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#define STATES 16
#define SYMBOLS 20
#define LEN 200
#define SEQS 8192

__constant__ float start_p[STATES];

__global__ void forward(const unsigned char *obs, const float *trans, const float *emit, float *loglik)
{
    __shared__ float alpha[STATES];
    __shared__ float total;
    const int s = threadIdx.x;
    const unsigned char *o = obs + blockIdx.x * LEN;
    float ll = 0.f;
    float a = start_p[s] * emit[s * SYMBOLS + o[0]];
    for (int t = 1; t <= LEN; t++) {
        alpha[s] = a;
        __syncthreads();
        if (s == 0) {
            float z = 0.f;
            for (int k = 0; k < STATES; k++) z += alpha[k];
            total = z;
            ll += logf(z);
        }
        __syncthreads();
        if (t < LEN) {
            float sum = 0.f;
            for (int k = 0; k < STATES; k++) sum += alpha[k] * trans[k * STATES + s];
            a = sum / total * emit[s * SYMBOLS + o[t]];
        }
        __syncthreads();
    }
    if (s == 0) loglik[blockIdx.x] = ll;
}

int main()
{
    std::vector<unsigned char> obs(SEQS * LEN);
    std::vector<float> tr(STATES * STATES), em(STATES * SYMBOLS), st(STATES, 1.f / STATES);
    for (size_t i = 0; i < obs.size(); i++) obs[i] = (i * 48271u >> 4) % SYMBOLS;
    for (int i = 0; i < STATES; i++)
        for (int j = 0; j < STATES; j++) tr[i * STATES + j] = i == j ? 0.7f : 0.02f;
    for (int i = 0; i < STATES * SYMBOLS; i++) em[i] = 1.f / SYMBOLS + 0.001f * (i % 5 - 2);
    unsigned char *d_obs;
    float *d_tr, *d_em, *d_ll, ll;
    cudaMalloc(&d_obs, obs.size());
    cudaMalloc(&d_tr, tr.size() * sizeof(float));
    cudaMalloc(&d_em, em.size() * sizeof(float));
    cudaMalloc(&d_ll, SEQS * sizeof(float));
    cudaMemcpy(d_obs, obs.data(), obs.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(d_tr, tr.data(), tr.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_em, em.data(), em.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(start_p, st.data(), sizeof(float) * STATES);
    forward<<<SEQS, STATES>>>(d_obs, d_tr, d_em, d_ll);
    cudaMemcpy(&ll, d_ll, sizeof ll, cudaMemcpyDeviceToHost);
    printf("%f\n", ll);
}
