// Earthquake trigger: short-term over long-term mean energy of every trace, trailing windows.
#include <cstdio>
#include <cmath>
#include <vector>

template <int NSTA, int NLTA, int BLOCK>
__global__ void sta_lta(const float *trace, float *ratio, int samples)
{
    __shared__ float e[BLOCK + NLTA - 1];
    const int outs = samples - NLTA + 1;
    const int first = blockIdx.x * BLOCK;
    const float *in = trace + (size_t)blockIdx.y * samples;
    for (int k = threadIdx.x; k < BLOCK + NLTA - 1; k += BLOCK) {
        float v = first + k < samples ? in[first + k] : 0.0f;
        e[k] = v * v;
    }
    __syncthreads();
    int o = first + threadIdx.x;
    if (o >= outs) return;
    float lta = 0.0f, sta = 0.0f;
    for (int k = 0; k < NLTA; ++k) lta += e[threadIdx.x + k];
    for (int k = NLTA - NSTA; k < NLTA; ++k) sta += e[threadIdx.x + k];
    ratio[(size_t)blockIdx.y * outs + o] = (sta / NSTA) / (lta / NLTA + 1e-12f);
}

// network detection: how many stations stand above the threshold at each time
__global__ void coincidence(const float *ratio, unsigned char *stations, int traces, int outs, float threshold)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= outs) return;
    int n = 0;
    for (int s = 0; s < traces; ++s)
        if (ratio[(size_t)s * outs + o] > threshold) ++n;
    stations[o] = (unsigned char)n;
}

int main()
{
    constexpr int traces = 128, samples = 8192, nsta = 16, nlta = 128;
    constexpr int outs = samples - nlta + 1;
    std::vector<float> t(traces * samples);
    for (int s = 0; s < traces; ++s)
        for (int k = 0; k < samples; ++k)
            t[s * samples + k] = sinf(0.7f * k + s) * (k > 4000 + 10 * s ? 8.0f : 1.0f);
    float *in, *out; unsigned char *st;
    cudaMalloc(&in, sizeof(float) * traces * samples);
    cudaMalloc(&out, sizeof(float) * traces * outs);
    cudaMalloc(&st, outs);
    cudaMemcpy(in, t.data(), sizeof(float) * traces * samples, cudaMemcpyHostToDevice);
    dim3 grid((outs + 255) / 256, traces);
    sta_lta<nsta, nlta, 256><<<grid, 256>>>(in, out, samples);
    coincidence<<<(outs + 127) / 128, 128>>>(out, st, traces, outs, 3.0f);
    std::vector<unsigned char> h(outs);
    cudaMemcpy(h.data(), st, outs, cudaMemcpyDeviceToHost);
    printf("%d\n", h[4100]);
}
