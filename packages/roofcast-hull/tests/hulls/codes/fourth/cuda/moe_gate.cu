#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

// Which of eight experts takes a token, and the weight that softmax gives it.
constexpr int EXPERTS = 8;

__global__ void route_top1(const float* logits, int32_t* expert, float* weight, int tokens)
{
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    if (t >= tokens) return;
    float l[EXPERTS];
#pragma unroll
    for (int e = 0; e < EXPERTS; ++e) l[e] = logits[t * EXPERTS + e];
    float best = l[0];
    int which = 0;
#pragma unroll
    for (int e = 1; e < EXPERTS; ++e) {
        if (l[e] > best) {
            best = l[e];
            which = e;
        }
    }
    float denom = 0.0f;
#pragma unroll
    for (int e = 0; e < EXPERTS; ++e) denom += expf(l[e] - best);
    expert[t] = which;
    weight[t] = 1.0f / denom;
}

int main()
{
    const int tokens = 4096;
    std::vector<float> h(tokens * EXPERTS);
    for (size_t i = 0; i < h.size(); ++i) h[i] = (float)((i * 7919) % 1000) / 250.0f;
    float *logits, *weight;
    int32_t* expert;
    cudaMalloc((void**)&logits, h.size() * sizeof(float));
    cudaMalloc((void**)&weight, tokens * sizeof(float));
    cudaMalloc((void**)&expert, tokens * sizeof(int32_t));
    cudaMemcpy(logits, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    route_top1<<<tokens / 128, 128>>>(logits, expert, weight, tokens);
    std::vector<int32_t> e(tokens);
    cudaMemcpy(e.data(), expert, tokens * sizeof(int32_t), cudaMemcpyDeviceToHost);
    printf("token 0 to expert %d\n", e[0]);
    cudaFree(logits);
    cudaFree(weight);
    cudaFree(expert);
    return 0;
}
