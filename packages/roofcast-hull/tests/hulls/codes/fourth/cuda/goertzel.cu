// Power of sixteen tones in each of many recordings.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TONES 16
#define LENGTH 800

__constant__ float two_cos[TONES];

__global__ void goertzel_power(const float *rec, float *power, int n_rec)
{
    int tone = threadIdx.x;
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= n_rec) return;
    const float c = two_cos[tone];
    float s1 = 0.f, s2 = 0.f;
    for (int i = 0; i < LENGTH; i++) {
        float s0 = rec[r * LENGTH + i] + c * s1 - s2;
        s2 = s1;
        s1 = s0;
    }
    power[r * TONES + tone] = s1 * s1 + s2 * s2 - c * s1 * s2;
}

int main()
{
    const int n_rec = 300;
    float hc[TONES];
    for (int t = 0; t < TONES; t++) hc[t] = 2.f * cosf(0.05f * (t + 1));
    cudaMemcpyToSymbol(two_cos, hc, sizeof(hc));
    float *h = (float *)malloc(n_rec * LENGTH * sizeof(float));
    for (int i = 0; i < n_rec * LENGTH; i++) h[i] = sinf(0.1f * i);
    float *rec, *power;
    cudaMalloc((void **)&rec, n_rec * LENGTH * sizeof(float));
    cudaMalloc((void **)&power, n_rec * TONES * sizeof(float));
    cudaMemcpy(rec, h, n_rec * LENGTH * sizeof(float), cudaMemcpyHostToDevice);
    dim3 threads(TONES, 8);
    goertzel_power<<<(n_rec + 7) / 8, threads>>>(rec, power, n_rec);
    cudaMemcpy(h, power, n_rec * TONES * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[1]);
    cudaFree(rec);
    cudaFree(power);
    free(h);
    return 0;
}
