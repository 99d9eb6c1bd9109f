// FM demodulator of a software radio: phase difference of neighbouring half-precision IQ samples.
#include <cuda_fp16.h>
#include <cstdio>
#include <cmath>
#include <vector>

static constexpr int kSamples = 2400000;

__global__ void discriminate(const __half2 *iq, float *audio, float gain, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i == 0) {
        audio[0] = 0.0f;
        return;
    }
    const float2 now = __half22float2(iq[i]);
    const float2 before = __half22float2(iq[i - 1]);
    // now * conj(before)
    const float re = now.x * before.x + now.y * before.y;
    const float im = now.y * before.x - now.x * before.y;
    audio[i] = gain * atan2f(im, re);
}

struct Receiver {
    __half2 *iq = nullptr;
    float *audio = nullptr;
    cudaStream_t stream{};

    Receiver()
    {
        cudaMalloc(&iq, kSamples * sizeof(__half2));
        cudaMalloc(&audio, kSamples * sizeof(float));
        cudaStreamCreate(&stream);
    }
    ~Receiver()
    {
        cudaStreamDestroy(stream);
        cudaFree(iq);
        cudaFree(audio);
    }
    void demodulate(const std::vector<__half2> &samples, std::vector<float> &sound)
    {
        const float gain = 2.4e6f / (2.0f * 3.14159265f * 75.0e3f);
        cudaMemcpyAsync(iq, samples.data(), kSamples * sizeof(__half2), cudaMemcpyHostToDevice, stream);
        const int threads = 256;
        discriminate<<<(kSamples + threads - 1) / threads, threads, 0, stream>>>(iq, audio, gain, kSamples);
        cudaMemcpyAsync(sound.data(), audio, kSamples * sizeof(float), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
    }
};

int main()
{
    std::vector<__half2> samples(kSamples);
    double phase = 0.0;
    for (int i = 0; i < kSamples; ++i) {
        phase += 0.19 * std::sin(2.0 * 3.14159265 * 1000.0 * i / 2.4e6);
        samples[i] = __floats2half2_rn((float)std::cos(phase), (float)std::sin(phase));
    }
    std::vector<float> sound(kSamples);
    Receiver receiver;
    receiver.demodulate(samples, sound);
    std::printf("%f %f\n", sound[1], sound[600]);
    return 0;
}
