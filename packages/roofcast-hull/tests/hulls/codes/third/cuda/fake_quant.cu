#include <cuda_runtime.h>

// simulated quantisation for training, scale and zero point for each output channel
__device__ __forceinline__ float clampf(float v, float lo, float hi) { return fminf(fmaxf(v, lo), hi); }

__global__ void fake_quant_channels(const float *w, float *out, const float *scale, const float *zero, int channels, int per_channel)
{
    int idx = blockDim.x * blockIdx.x + threadIdx.x;
    if (idx < channels * per_channel) {
        int c = idx / per_channel;
        float q = rintf(w[idx] / scale[c] + zero[c]);
        q = clampf(q, -128.0f, 127.0f);
        out[idx] = (q - zero[c]) * scale[c];
    }
}

int main(int argc, char **argv)
{
    int channels = 512, per_channel = 4608;
    size_t bytes = channels * per_channel * sizeof(float);
    float *w, *o, *s, *z;
    cudaMalloc(&w, bytes);
    cudaMalloc(&o, bytes);
    cudaMalloc(&s, channels * sizeof(float));
    cudaMalloc(&z, channels * sizeof(float));
    int total = channels * per_channel;
    fake_quant_channels<<<(total + 511) / 512, 512>>>(w, o, s, z, channels, per_channel);
    return cudaDeviceSynchronize();
}
