// Operations of one unit of work verified with self-counting numbers in Python; sizes and bytes by arithmetic.
// Pinball (quantile) loss of a forecaster with several quantile heads, mean over batch and heads.
// Hand count: 6 for each prediction, one for each sample's way into the sum.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define FULL_MASK 0xffffffffu

template <int Q>
__global__ void pinball_loss(const float *__restrict__ pred,   // [batch, Q]
                             const float *__restrict__ target, // [batch]
                             const float *__restrict__ taus,   // [Q]
                             float *loss, int batch)
{
    __shared__ float warp_sums[32];
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (b < batch) {
        float y = target[b];
        for (int q = 0; q < Q; q++) {
            float tau = taus[q];
            float err = y - pred[b * Q + q];
            sum += fmaxf(tau * err, (tau - 1.0f) * err);
        }
    }
    for (int off = 16; off > 0; off >>= 1) sum += __shfl_down_sync(FULL_MASK, sum, off);
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) warp_sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < (blockDim.x >> 5) ? warp_sums[lane] : 0.0f;
        for (int off = 16; off > 0; off >>= 1) sum += __shfl_down_sync(FULL_MASK, sum, off);
        if (lane == 0) atomicAdd(loss, sum / (float)(batch * Q));
    }
}

int main()
{
    constexpr int Q = 9;
    const int batch = 65536;
    std::vector<float> p((size_t)batch * Q), t(batch), a(Q);
    for (int q = 0; q < Q; q++) a[q] = 0.1f * (q + 1);
    for (int i = 0; i < batch; i++) {
        t[i] = (i % 101) * 0.01f;
        for (int q = 0; q < Q; q++) p[(size_t)i * Q + q] = a[q];
    }
    float *dp, *dt, *da, *dl;
    cudaMalloc(&dp, p.size() * sizeof(float));
    cudaMalloc(&dt, batch * sizeof(float));
    cudaMalloc(&da, Q * sizeof(float));
    cudaMalloc(&dl, sizeof(float));
    cudaMemcpy(dp, p.data(), p.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, t.data(), batch * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(da, a.data(), Q * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dl, 0, sizeof(float));
    pinball_loss<Q><<<(batch + 255) / 256, 256>>>(dp, dt, da, dl, batch);
    float loss;
    cudaMemcpy(&loss, dl, sizeof(float), cudaMemcpyDeviceToHost);
    printf("loss %.6f\n", loss);
    return 0;
}
