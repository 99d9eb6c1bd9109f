#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define LINES 4096
#define SAMPLES 8000

// G.711 A-law, as the reference tables have it
__device__ short expand(unsigned char a)
{
    a ^= 0x55;
    int t = (a & 0x0f) << 4;
    int seg = (a & 0x70) >> 4;
    t += seg == 0 ? 8 : 0x108;
    if (seg > 1) t <<= seg - 1;
    return (a & 0x80) ? t : -t;
}

__global__ void alaw_decode(const unsigned char *code, short *pcm)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    int line = blockIdx.y;
    if (s < SAMPLES)
        pcm[line * SAMPLES + s] = expand(code[line * SAMPLES + s]);
}

// voice activity: energy of the line in units of full scale
__global__ void line_energy(const short *pcm, float *energy)
{
    __shared__ float warp_sum[8];
    const short *row = pcm + blockIdx.x * SAMPLES;
    float e = 0.f;
    for (int s = threadIdx.x; s < SAMPLES; s += 256) {
        float f = row[s];
        e += f * f;
    }
    for (int m = 16; m > 0; m >>= 1)
        e += __shfl_down_sync(0xffffffff, e, m);
    if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = e;
    __syncthreads();
    if (threadIdx.x == 0) {
        float tot = 0.f;
        for (int w = 0; w < 8; w++) tot += warp_sum[w];
        energy[blockIdx.x] = tot / (32768.f * 32768.f);
    }
}

int main()
{
    unsigned char *code; short *pcm; float *energy;
    cudaMallocManaged(&code, LINES * SAMPLES);
    cudaMallocManaged(&pcm, LINES * SAMPLES * sizeof(short));
    cudaMallocManaged(&energy, LINES * sizeof(float));
    for (int i = 0; i < LINES * SAMPLES; i++) code[i] = rand();
    alaw_decode<<<dim3((SAMPLES + 255) / 256, LINES), 256>>>(code, pcm);
    line_energy<<<LINES, 256>>>(pcm, energy);
    cudaDeviceSynchronize();
    printf("%f\n", energy[1]);
    return 0;
}
