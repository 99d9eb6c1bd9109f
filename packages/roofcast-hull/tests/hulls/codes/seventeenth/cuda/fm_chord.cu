// Frequency modulation: 32 voices, six seconds at 44.1 kHz, then to stereo PCM with a slow pan.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

struct Voice { float omega, ratio, depth, damp, gain; };
struct Clock { float dt; float master; };

__global__ void render(const Voice *bank, int voices, float *pcm, int samples, Clock clk)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < samples) {
        float t = n * clk.dt;
        float sum = 0.0f;
        for (const Voice *v = bank; v != bank + voices; ++v) {
            float w = v->omega * t;
            float env = expf(v->damp * t);
            sum += v->gain * env * sinf(w + v->depth * sinf(v->ratio * w));
        }
        pcm[n] = tanhf(sum * clk.master);
    }
}

__device__ inline short pcm16(float v)
{
    return (short)fminf(fmaxf(rintf(v * 32767.0f), -32768.0f), 32767.0f);
}

__global__ void to_stereo(const float *mono, short2 *out, int samples, float rate)
{
    for (int n = blockIdx.x * blockDim.x + threadIdx.x; n < samples; n += blockDim.x * gridDim.x) {
        float pan = 0.5f + 0.5f * sinf(rate * n);
        float x = mono[n];
        out[n] = make_short2(pcm16(x * (1.0f - pan)), pcm16(x * pan));
    }
}

int main()
{
    const int voices = 32, samples = 262144;
    std::vector<Voice> bank;
    for (int i = 0; i < voices; i++)
        bank.push_back({6.2831853f * (110.0f + 55.0f * i), 1.0f + i % 3, 0.5f + 0.1f * i, -0.4f - 0.02f * i, 0.05f});
    Voice *d_bank; float *d_mono; short2 *d_out;
    cudaMalloc(&d_bank, voices * sizeof(Voice));
    cudaMalloc(&d_mono, samples * sizeof(float));
    cudaMalloc(&d_out, samples * sizeof(short2));
    cudaMemcpy(d_bank, bank.data(), voices * sizeof(Voice), cudaMemcpyHostToDevice);
    render<<<samples / 256, 256>>>(d_bank, voices, d_mono, samples, Clock{1.0f / 44100.0f, 0.8f});
    to_stereo<<<264, 256>>>(d_mono, d_out, samples, 0.0001f);
    short2 s;
    cudaMemcpy(&s, d_out + 1000, sizeof s, cudaMemcpyDeviceToHost);
    printf("%d %d\n", s.x, s.y);
}
