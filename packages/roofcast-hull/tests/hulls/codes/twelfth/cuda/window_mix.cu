// Sliding-window attention of one head: weights of 33 keys around a token times their values; inner tokens only.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int TOKENS = 8192, DIM = 64, REACH = 16, SPAN = 2 * REACH + 1;

__global__ void window_values(const float *prob, const float *value, float *out) {
    const int d = threadIdx.x;
    const int t = blockIdx.x * blockDim.y + threadIdx.y;
    if (t < REACH || t >= TOKENS - REACH) return;
    float acc = 0.0f;
    for (int w = -REACH; w <= REACH; ++w)
        acc += prob[t * SPAN + w + REACH] * value[(t + w) * DIM + d];
    out[t * DIM + d] = acc;
}

// softmax of the band in place, a warp a token
__global__ void window_softmax(float *prob) {
    const int lane = threadIdx.x % 32;
    const int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float *row = prob + t * SPAN;
    float top = -1e30f;
    for (int k = lane; k < SPAN; k += 32) top = fmaxf(top, row[k]);
    for (int o = 16; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    float sum = 0.0f;
    for (int k = lane; k < SPAN; k += 32) sum += expf(row[k] - top);
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    for (int k = lane; k < SPAN; k += 32) row[k] = expf(row[k] - top) / sum;
}

int main() {
    std::vector<float> p(TOKENS * SPAN), v(TOKENS * DIM);
    for (size_t i = 0; i < p.size(); ++i) p[i] = (i * 131 % 257) / 64.0f;
    for (size_t i = 0; i < v.size(); ++i) v[i] = (i * 37 % 509) / 509.0f - 0.5f;
    float *dp, *dv, *o;
    cudaMalloc(&dp, p.size() * sizeof(float));
    cudaMalloc(&dv, v.size() * sizeof(float));
    cudaMalloc(&o, v.size() * sizeof(float));
    cudaMemcpy(dp, p.data(), p.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
    window_softmax<<<TOKENS / 8, 256>>>(dp);
    window_values<<<TOKENS / 4, dim3(DIM, 4)>>>(dp, dv, o);
    cudaMemcpy(v.data(), o, v.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", v[100 * DIM]);
}
