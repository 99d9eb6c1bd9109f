// Type K thermocouples: 64 channels of a scanner, raw counts -> degrees, then noise of each channel.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CH 64
static const int SCANS = 65536;

__constant__ float k_inv[9];

__global__ void linearise(const short *__restrict__ counts, const float *__restrict__ cold_mv,
                          float *__restrict__ deg, float lsb_mv, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float mv = counts[i] * lsb_mv + cold_mv[i % CH];
    float t = k_inv[8];
#pragma unroll
    for (int k = 7; k >= 0; --k)
        t = t * mv + k_inv[k];
    deg[i] = t;
}

// one thread per channel, blocks share out the scans
__global__ void channel_noise(const float *deg, const float *setpoint, float *sq, int scans)
{
    const int c = threadIdx.x;
    const float ref = setpoint[c];
    float acc = 0.f;
    for (int s = blockIdx.x; s < scans; s += gridDim.x) {
        float d = deg[s * CH + c] - ref;
        acc += d * d;
    }
    atomicAdd(&sq[c], acc);
}

int main()
{
    const int n = SCANS * CH;
    const float coef[9] = {0.f, 25.08355f, 0.07860106f, -0.2503131f, 0.0831527f,
                           -0.01228034f, 9.804036e-4f, -4.41303e-5f, 1.057734e-6f};
    cudaMemcpyToSymbol(k_inv, coef, sizeof coef);
    short *counts; float *cold, *deg, *set, *sq;
    cudaMallocManaged(&counts, n * sizeof(short));
    cudaMallocManaged(&cold, CH * sizeof(float));
    cudaMallocManaged(&deg, n * sizeof(float));
    cudaMallocManaged(&set, CH * sizeof(float));
    cudaMallocManaged(&sq, CH * sizeof(float));
    for (int i = 0; i < n; i++) counts[i] = (short)(2000 + rand() % 60);
    for (int c = 0; c < CH; c++) { cold[c] = 0.9f + 0.001f * c; set[c] = 60.f; sq[c] = 0.f; }
    linearise<<<(n + 255) / 256, 256>>>(counts, cold, deg, 0.0005f, n);
    channel_noise<<<256, CH>>>(deg, set, sq, SCANS);
    cudaDeviceSynchronize();
    printf("%f %f\n", deg[5], sq[3] / SCANS);
    return 0;
}
