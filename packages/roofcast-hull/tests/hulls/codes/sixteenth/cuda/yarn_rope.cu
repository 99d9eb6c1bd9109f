// Rotary embedding with YaRN-style frequencies, interleaved pairs (GPT-J order)
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int TOKENS = 4096, HEADS = 16, PAIRS = 64;
constexpr float BASE = 10000.0f, FACTOR = 8.0f, LOW = 12.0f, HIGH = 40.0f;

__global__ void yarn_freqs(float *__restrict__ freq)
{
    int i = threadIdx.x;
    if (i >= PAIRS) return;
    float extrapolated = powf(BASE, -(float)i / PAIRS);
    float interpolated = extrapolated / FACTOR;
    float ramp = fminf(1.0f, fmaxf(0.0f, ((float)i - LOW) / (HIGH - LOW)));
    freq[i] = interpolated * ramp + extrapolated * (1.0f - ramp);
}

__global__ void rope_interleaved(float2 *__restrict__ q, const int *__restrict__ positions,
                                 const float *__restrict__ freq)
{
    const int token = blockIdx.x;
    const float pos = (float)positions[token];
    float2 *row = q + (size_t)token * HEADS * PAIRS;
    for (int e = threadIdx.x; e < HEADS * PAIRS; e += blockDim.x) {
        const int d = e % PAIRS;
        const float angle = pos * freq[d];
        const float c = cosf(angle), s = sinf(angle);
        const float2 v = row[e];
        row[e] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    }
}

int main()
{
    std::vector<float2> h((size_t)TOKENS * HEADS * PAIRS);
    std::vector<int> p(TOKENS);
    for (size_t i = 0; i < h.size(); i++) h[i] = make_float2(0.001f * (i % 977), 0.002f * (i % 311));
    for (int i = 0; i < TOKENS; i++) p[i] = i;
    float2 *q; int *pos; float *freq;
    cudaMalloc(&q, h.size() * sizeof(float2));
    cudaMalloc(&pos, TOKENS * sizeof(int));
    cudaMalloc(&freq, PAIRS * sizeof(float));
    cudaMemcpy(q, h.data(), h.size() * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(pos, p.data(), TOKENS * sizeof(int), cudaMemcpyHostToDevice);
    yarn_freqs<<<1, PAIRS>>>(freq);
    rope_interleaved<<<TOKENS, 256>>>(q, pos, freq);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
