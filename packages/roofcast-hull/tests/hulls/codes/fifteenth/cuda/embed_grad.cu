// Backward of an embedding: gradients of 8192 positions added to the rows of their tokens; then one step of the touched table.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int TOKENS = 8192, DMODEL = 512, VOCAB = 32000;

__global__ void scatter_grad(const int *token, const float *dout, float *dtable)
{
    int pos = blockIdx.x;
    int row = token[pos];
    for (int d = threadIdx.x; d < DMODEL; d += blockDim.x)
        atomicAdd(&dtable[row * DMODEL + d], dout[pos * DMODEL + d]);
}

__global__ void decay_step(float4 *table, const float4 *grad, int n4, float lr, float decay)
{
    const float keep = 1.f - lr * decay;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 w = table[i], g = grad[i];
        w.x = keep * w.x - lr * g.x;
        w.y = keep * w.y - lr * g.y;
        w.z = keep * w.z - lr * g.z;
        w.w = keep * w.w - lr * g.w;
        table[i] = w;
    }
}

int main()
{
    std::vector<int> ht(TOKENS);
    std::vector<float> hd((size_t)TOKENS * DMODEL), hw((size_t)VOCAB * DMODEL);
    for (auto &t : ht) t = rand() % VOCAB;
    for (auto &g : hd) g = rand() / (float)RAND_MAX - .5f;
    for (auto &w : hw) w = rand() / (float)RAND_MAX - .5f;
    int *token; float *dout, *dtable, *table;
    cudaMalloc(&token, TOKENS * sizeof(int));
    cudaMalloc(&dout, (size_t)TOKENS * DMODEL * sizeof(float));
    cudaMalloc(&dtable, (size_t)VOCAB * DMODEL * sizeof(float));
    cudaMalloc(&table, (size_t)VOCAB * DMODEL * sizeof(float));
    cudaMemcpy(token, ht.data(), TOKENS * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dout, hd.data(), hd.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(table, hw.data(), hw.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dtable, 0, (size_t)VOCAB * DMODEL * sizeof(float));
    scatter_grad<<<TOKENS, 128>>>(token, dout, dtable);
    decay_step<<<1056, 256>>>((float4 *)table, (const float4 *)dtable, VOCAB * DMODEL / 4, 0.01f, 0.1f);
    float w;
    cudaMemcpy(&w, table, sizeof w, cudaMemcpyDeviceToHost);
    printf("%g\n", w);
}
