// Prediction residual of audio frames; each frame has its own sixteen coefficients. Samples are staged with asynchronous copies.
#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_pipeline.h>

constexpr int FRAMES = 8192, LEN = 256, ORDER = 16;

__global__ void whiten(const float *__restrict__ audio, const float *__restrict__ coef, float *__restrict__ resid)
{
    __shared__ __align__(16) float x[ORDER + LEN];
    __shared__ float a[ORDER];
    const int frame = blockIdx.x, n = threadIdx.x;
    __pipeline_memcpy_async(&x[ORDER + n], &audio[(size_t)frame * LEN + n], sizeof(float));
    if (n < ORDER) {
        x[n] = 0.0f;
        __pipeline_memcpy_async(&a[n], &coef[frame * ORDER + n], sizeof(float));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    float predicted = 0.0f;
#pragma unroll
    for (int k = 0; k < ORDER; k++) predicted += a[k] * x[ORDER + n - 1 - k];
    resid[(size_t)frame * LEN + n] = x[ORDER + n] - predicted;
}

__global__ void frame_energy(const float *__restrict__ resid, float *__restrict__ energy)
{
    // a warp a frame, eight samples a lane
    const int lane = threadIdx.x, frame = blockIdx.x * blockDim.y + threadIdx.y;
    const float4 *p = reinterpret_cast<const float4 *>(resid + (size_t)frame * LEN);
    float e = 0.0f;
    for (int i = lane; i < LEN / 4; i += 32) {
        float4 v = p[i];
        e += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int o = 16; o; o >>= 1) e += __shfl_down_sync(0xffffffff, e, o);
    if (lane == 0) energy[frame] = e / LEN;
}

int main()
{
    std::vector<float> h((size_t)FRAMES * LEN), c(FRAMES * ORDER);
    for (size_t i = 0; i < h.size(); i++) h[i] = sinf(0.05f * i) + 0.1f * sinf(0.7f * i);
    for (size_t i = 0; i < c.size(); i++) c[i] = 0.9f / (1 + i % ORDER);
    float *audio, *coef, *resid, *energy;
    cudaMalloc(&audio, h.size() * 4);
    cudaMalloc(&coef, c.size() * 4);
    cudaMalloc(&resid, h.size() * 4);
    cudaMalloc(&energy, FRAMES * 4);
    cudaMemcpy(audio, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(coef, c.data(), c.size() * 4, cudaMemcpyHostToDevice);
    whiten<<<FRAMES, LEN>>>(audio, coef, resid);
    frame_energy<<<FRAMES / 8, dim3(32, 8)>>>(resid, energy);
    cudaMemcpy(c.data(), energy, FRAMES * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", c[40]);
}
