#include <cstdint>
#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

namespace vu {
constexpr int kChannels = 256;
constexpr int kFrames   = 512;
constexpr int kFrameLen = 256;
}

struct Level { float peak; float rms; };

// a warp looks after one frame
__global__ void frame_levels(const int16_t* pcm, float* peak, float* rms, int nframes)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x & 31;
    if (warp >= nframes) return;
    const int16_t* f = pcm + (size_t)warp * vu::kFrameLen;
    Level l{0.f, 0.f};
    for (int k = lane; k < vu::kFrameLen; k += 32) {
        float x = f[k] * (1.0f / 32768.0f);
        l.peak = fmaxf(l.peak, fabsf(x));
        l.rms += x * x;
    }
    for (int o = 16; o > 0; o >>= 1) {
        l.peak = fmaxf(l.peak, __shfl_xor_sync(0xffffffffu, l.peak, o));
        l.rms += __shfl_xor_sync(0xffffffffu, l.rms, o);
    }
    if (lane == 0) {
        peak[warp] = l.peak;
        rms[warp] = sqrtf(l.rms / vu::kFrameLen);
    }
}

// needle falls with a fixed decay, jumps up at once
__global__ void needle(const float* peak, float* shown, float decay, int channels, int frames)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float v = 0.f;
    for (int t = 0; t < frames; ++t) {
        v = fmaxf(peak[c * frames + t], v * decay);
        shown[c * frames + t] = v;
    }
}

int main()
{
    const int rows = vu::kChannels * vu::kFrames;
    std::vector<int16_t> h((size_t)rows * vu::kFrameLen);
    for (size_t i = 0; i < h.size(); i++) h[i] = (int16_t)(12000.0 * std::sin(i * 0.013) + (i % 97));
    int16_t* pcm; float *pk, *rm, *sh;
    cudaMalloc(&pcm, h.size() * sizeof(int16_t));
    cudaMalloc(&pk, rows * sizeof(float));
    cudaMalloc(&rm, rows * sizeof(float));
    cudaMalloc(&sh, rows * sizeof(float));
    cudaMemcpy(pcm, h.data(), h.size() * sizeof(int16_t), cudaMemcpyHostToDevice);
    frame_levels<<<rows / 4, 128>>>(pcm, pk, rm, rows);
    needle<<<vu::kChannels / 32, 32>>>(pk, sh, 0.93f, vu::kChannels, vu::kFrames);
    float out;
    cudaMemcpy(&out, sh + rows - 1, 4, cudaMemcpyDeviceToHost);
    printf("%g\n", out);
}
