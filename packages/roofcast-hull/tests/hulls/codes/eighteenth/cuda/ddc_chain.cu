/* digital down-converter: mix with a numerically controlled oscillator, integrate and dump by 32 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define NSAMP (1 << 24)
#define DECIM 32

__global__ void mix_down(const short2 *adc, float2 *bb, float step, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int hop = gridDim.x * blockDim.x;
    while (tid < n) {
        float s, c;
        sincospif(step * tid, &s, &c);
        short2 a = adc[tid];
        bb[tid] = make_float2(a.x * c + a.y * s, a.y * c - a.x * s);
        tid += hop;
    }
}

__global__ void integrate_dump(const float2 *bb, float2 *out, float gain)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 *p = &bb[o * DECIM];
    float re = 0.0f, im = 0.0f;
    for (int k = 0; k < DECIM; k++, p++) {
        re += p->x;
        im += p->y;
    }
    out[o] = make_float2(re * gain, im * gain);
}

__global__ void power_db(const float2 *iq, float *db, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float p = iq[i].x * iq[i].x + iq[i].y * iq[i].y;
        db[i] = 10.f * log10f(p + 1e-20f);
    }
}

int main()
{
    short2 *adc; float2 *bb, *out; float *db;
    cudaMallocManaged(&adc, NSAMP * sizeof(short2));
    cudaMallocManaged(&bb, NSAMP * sizeof(float2));
    cudaMallocManaged(&out, NSAMP / DECIM * sizeof(float2));
    cudaMallocManaged(&db, NSAMP / DECIM * sizeof(float));
    for (int i = 0; i < NSAMP; i++) { adc[i].x = rand() % 4096 - 2048; adc[i].y = rand() % 4096 - 2048; }
    mix_down<<<2048, 256>>>(adc, bb, 0.137f, NSAMP);
    integrate_dump<<<NSAMP / DECIM / 256, 256>>>(bb, out, 1.f / (DECIM * 2048));
    power_db<<<NSAMP / DECIM / 256, 256>>>(out, db, NSAMP / DECIM);
    cudaDeviceSynchronize();
    printf("%f dB\n", db[100]);
    return 0;
}
