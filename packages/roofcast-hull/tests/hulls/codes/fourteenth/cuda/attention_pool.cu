// Attention pooling of a sentence's token vectors with one learned query (inference); a block a sentence.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

template <int TOKENS, int DIM>
__global__ void __launch_bounds__(TOKENS) pool_tokens(const float *x, const float *query, float *pooled)
{
    __shared__ float p[TOKENS];
    __shared__ float tree[TOKENS];
    const float *sentence = x + (size_t)blockIdx.x * TOKENS * DIM;
    const int t = threadIdx.x;

    float score = 0.f;
    for (int d = 0; d < DIM; ++d)
        score += sentence[t * DIM + d] * query[d];
    tree[t] = score;
    __syncthreads();
    for (int s = TOKENS / 2; s > 0; s >>= 1) {
        if (t < s) tree[t] = fmaxf(tree[t], tree[t + s]);
        __syncthreads();
    }
    const float top = tree[0];
    __syncthreads();
    p[t] = __expf(score - top);
    tree[t] = p[t];
    __syncthreads();
    for (int s = TOKENS / 2; s > 0; s >>= 1) {
        if (t < s) tree[t] += tree[t + s];
        __syncthreads();
    }
    const float norm = tree[0];
    for (int d = t; d < DIM; d += TOKENS) {
        float acc = 0.f;
        for (int k = 0; k < TOKENS; ++k)
            acc += p[k] * sentence[k * DIM + d];
        pooled[blockIdx.x * DIM + d] = acc / norm;
    }
}

int main()
{
    const int batch = 512, tokens = 128, dim = 256;
    std::vector<float> x((size_t)batch * tokens * dim), q(dim);
    for (size_t i = 0; i < x.size(); ++i) x[i] = ((i * 2654435761u) % 1000) / 1000.0f - 0.5f;
    for (int d = 0; d < dim; ++d) q[d] = 0.1f * ((d % 9) - 4);
    float *dx, *dq, *dy;
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dq, dim * sizeof(float));
    cudaMalloc(&dy, batch * dim * sizeof(float));
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dq, q.data(), dim * sizeof(float), cudaMemcpyHostToDevice);
    pool_tokens<tokens, dim><<<batch, tokens>>>(dx, dq, dy);
    std::vector<float> y(batch * dim);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", y[0], y.back());
}
