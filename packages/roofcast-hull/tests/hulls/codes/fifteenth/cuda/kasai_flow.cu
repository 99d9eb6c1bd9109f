// Colour Doppler: wall filter by removal of the ensemble's mean, then the lag-one autocorrelation estimate.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { ENS = 8, LINES = 128, DEPTH = 512, NPIX = LINES * DEPTH };

__global__ void wall_filter(const short2 *iq, float2 *filt)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= NPIX) return;
    float2 mean = make_float2(0.f, 0.f);
    for (int e = 0; e < ENS; e++) {
        short2 s = iq[e * NPIX + p];
        mean.x += s.x;
        mean.y += s.y;
    }
    mean.x *= 1.f / ENS;
    mean.y *= 1.f / ENS;
    for (int e = 0; e < ENS; e++) {
        short2 s = iq[e * NPIX + p];
        filt[e * NPIX + p] = make_float2(s.x - mean.x, s.y - mean.y);
    }
}

__global__ void kasai(const float2 *filt, float *vel, float *spread, float scale)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= NPIX) return;
    float re = 0.f, im = 0.f, pw = 0.f;
    for (int e = 0; e < ENS - 1; e++) {
        float2 a = filt[e * NPIX + p];
        float2 b = filt[(e + 1) * NPIX + p];
        re += a.x * b.x + a.y * b.y;
        im += a.x * b.y - a.y * b.x;
        pw += a.x * a.x + a.y * a.y;
    }
    vel[p] = scale * atan2f(im, re);
    spread[p] = 1.f - sqrtf(re * re + im * im) / (pw + 1e-6f);
}

int main(void)
{
    short2 *hiq = (short2 *)malloc(sizeof(short2) * ENS * NPIX);
    for (int i = 0; i < ENS * NPIX; i++) {
        hiq[i].x = (short)(rand() % 4096 - 2048);
        hiq[i].y = (short)(rand() % 4096 - 2048);
    }
    short2 *iq; float2 *filt; float *vel, *spread;
    cudaMalloc((void **)&iq, sizeof(short2) * ENS * NPIX);
    cudaMalloc((void **)&filt, sizeof(float2) * ENS * NPIX);
    cudaMalloc((void **)&vel, sizeof(float) * NPIX);
    cudaMalloc((void **)&spread, sizeof(float) * NPIX);
    cudaStream_t st;
    cudaStreamCreate(&st);
    cudaMemcpyAsync(iq, hiq, sizeof(short2) * ENS * NPIX, cudaMemcpyHostToDevice, st);
    wall_filter<<<NPIX / 128, 128, 0, st>>>(iq, filt);
    kasai<<<NPIX / 128, 128, 0, st>>>(filt, vel, spread, 0.0612f);
    cudaStreamSynchronize(st);
    float v;
    cudaMemcpy(&v, vel, sizeof v, cudaMemcpyDeviceToHost);
    printf("%f\n", v);
    cudaStreamDestroy(st);
    return 0;
}
