// Radio telescope of 32 antennas: the X part (visibilities of all pairs) and incoherent dedispersion of a filterbank.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define ANT 32
#define CHAN 128
#define TIMES 256
#define FB_CHAN 64
#define FB_TIME 16384
#define DMS 96
#define MAX_DELAY 1024

// spectra[channel][antenna][time]
__global__ void cross_multiply(const float2 *spectra, float2 *vis) {
    int ch = blockIdx.x;
    int a = threadIdx.y, b = threadIdx.x;
    const float2 *pa = spectra + (ch * ANT + a) * TIMES;
    const float2 *pb = spectra + (ch * ANT + b) * TIMES;
    float re = 0.f, im = 0.f;
    for (int t = 0; t < TIMES; t++) {
        float2 u = pa[t], w = pb[t];
        re += u.x * w.x + u.y * w.y;
        im += u.y * w.x - u.x * w.y;
    }
    vis[(ch * ANT + a) * ANT + b] = make_float2(re, im);
}

__global__ void dedisperse(const float *power, const int *delay, float *series) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int dm = blockIdx.y;
    float s = 0.f;
    for (int c = 0; c < FB_CHAN; c++) s += power[c * (FB_TIME + MAX_DELAY) + t + delay[dm * FB_CHAN + c]];
    series[dm * FB_TIME + t] = s;
}

int main() {
    const int n = CHAN * ANT * TIMES, m = FB_CHAN * (FB_TIME + MAX_DELAY);
    std::vector<float2> h(n);
    for (int i = 0; i < n; i++) h[i] = make_float2((i % 17) * .1f - .8f, (i % 23) * .1f - 1.1f);
    std::vector<float> p(m);
    for (int i = 0; i < m; i++) p[i] = (i * 37 % 101) * .01f;
    std::vector<int> d(DMS * FB_CHAN);
    for (int k = 0; k < DMS; k++)
        for (int c = 0; c < FB_CHAN; c++) d[k * FB_CHAN + c] = (k * c * c) * (MAX_DELAY - 1) / (DMS * FB_CHAN * FB_CHAN);
    float2 *s, *v; float *power, *series; int *delay;
    cudaMalloc(&s, n * sizeof(float2));
    cudaMalloc(&v, CHAN * ANT * ANT * sizeof(float2));
    cudaMalloc(&power, m * sizeof(float));
    cudaMalloc(&series, DMS * FB_TIME * sizeof(float));
    cudaMalloc(&delay, DMS * FB_CHAN * sizeof(int));
    cudaMemcpy(s, h.data(), n * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(power, p.data(), m * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(delay, d.data(), DMS * FB_CHAN * sizeof(int), cudaMemcpyHostToDevice);
    cross_multiply<<<CHAN, dim3(ANT, ANT)>>>(s, v);
    dedisperse<<<dim3(FB_TIME / 256, DMS), 256>>>(power, delay, series);
    printf("%d\n", (int)cudaDeviceSynchronize());
}
