// High-water marks of fund values: running maxima of rows by warp shuffles, and the loss below the mark.
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

const int FUNDS = 16384;
const int DAYS = 256;

__global__ void running_mark(const float *nav, float *mark)
{
    __shared__ float last[DAYS / 32];
    int row = blockIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = nav[row * DAYS + threadIdx.x];
    #pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        float o = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d) v = fmaxf(v, o);
    }
    if (lane == 31) last[warp] = v;
    __syncthreads();
    for (int w = 0; w < warp; w++) v = fmaxf(v, last[w]);
    mark[row * DAYS + threadIdx.x] = v;
}

__global__ void worst_loss(const float *nav, const float *mark, float *loss)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= FUNDS) return;
    float worst = 0.0f;
    for (int t = threadIdx.x; t < DAYS; t += 32) {
        float m = mark[row * DAYS + t];
        worst = fmaxf(worst, (m - nav[row * DAYS + t]) / m);
    }
    for (int o = 16; o; o >>= 1) worst = fmaxf(worst, __shfl_xor_sync(0xffffffff, worst, o));
    if (threadIdx.x == 0) loss[row] = worst;
}

int main()
{
    std::vector<float> h((size_t)FUNDS * DAYS);
    for (size_t i = 0; i < h.size(); ++i) h[i] = 100.0f + 10.0f * std::sin(0.05f * (i % 1013)) + 0.02f * (i % DAYS);
    float *nav, *mark, *loss;
    cudaMalloc(&nav, sizeof(float) * FUNDS * DAYS);
    cudaMalloc(&mark, sizeof(float) * FUNDS * DAYS);
    cudaMalloc(&loss, sizeof(float) * FUNDS);
    cudaMemcpy(nav, h.data(), sizeof(float) * FUNDS * DAYS, cudaMemcpyHostToDevice);
    running_mark<<<FUNDS, DAYS>>>(nav, mark);
    worst_loss<<<FUNDS / 8, dim3(32, 8)>>>(nav, mark, loss);
    std::vector<float> l(FUNDS);
    cudaMemcpy(l.data(), loss, sizeof(float) * FUNDS, cudaMemcpyDeviceToHost);
    printf("%f %f\n", l[0], l[FUNDS - 1]);
}
