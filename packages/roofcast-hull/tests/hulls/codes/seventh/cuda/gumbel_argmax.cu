// Sampling of next tokens by the exponential race: argmax_v logits[v] / T - log(E_v), E_v ~ Exp(1).
// One block per sequence. Hand count: 4 per (sequence, token): * log - >; the block's tree is small beside it.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

extern "C" __global__ void sample_tokens(const float *logits, const float *expo, int *next_token,
                                         int vocab, float inv_temperature)
{
    __shared__ float best_score[kThreads];
    __shared__ int best_index[kThreads];

    const int tid = threadIdx.x;
    const float *row = logits + (size_t)blockIdx.x * vocab;
    const float *noise = expo + (size_t)blockIdx.x * vocab;

    float best = -FLT_MAX;
    int arg = 0;
    for (int v = tid; v < vocab; v += kThreads) {
        float score = row[v] * inv_temperature - logf(noise[v]);
        if (score > best) {
            best = score;
            arg = v;
        }
    }
    best_score[tid] = best;
    best_index[tid] = arg;
    __syncthreads();

    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (tid < half && best_score[tid + half] > best_score[tid]) {
            best_score[tid] = best_score[tid + half];
            best_index[tid] = best_index[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) next_token[blockIdx.x] = best_index[0];
}

int main()
{
    const int batch = 64, vocab = 32000;
    const float temperature = 0.8f;
    std::mt19937 gen(0);
    std::normal_distribution<float> normal;
    std::exponential_distribution<float> expo(1.0f);
    std::vector<float> hl((size_t)batch * vocab), he(hl.size());
    for (auto &v : hl) v = normal(gen);
    for (auto &v : he) v = expo(gen) + 1e-10f;

    float *dl, *de;
    int *dn;
    cudaMalloc(&dl, hl.size() * sizeof(float));
    cudaMalloc(&de, he.size() * sizeof(float));
    cudaMalloc(&dn, batch * sizeof(int));
    cudaMemcpy(dl, hl.data(), hl.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(de, he.data(), he.size() * sizeof(float), cudaMemcpyHostToDevice);

    sample_tokens<<<batch, kThreads>>>(dl, de, dn, vocab, 1.0f / temperature);

    std::vector<int> out(batch);
    cudaMemcpy(out.data(), dn, batch * sizeof(int), cudaMemcpyDeviceToHost);
    printf("first token: %d\n", out[0]);
    cudaFree(dl); cudaFree(de); cudaFree(dn);
    return 0;
}
