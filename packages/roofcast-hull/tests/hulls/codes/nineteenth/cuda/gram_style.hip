#include <hip/hip_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

// Gram matrix of feature maps and its distance from that of the style picture
#define CH 64
#define PIX 4096
#define TS 16

__global__ void gram(const float *F, float *Gm, float scale)
{
    __shared__ float a[TS][TS], b[TS][TS + 1];
    int row = blockIdx.y * TS + threadIdx.y;
    int other = blockIdx.x * TS + threadIdx.y;
    float acc = 0.f;
    for (int p = 0; p < PIX; p += TS) {
        a[threadIdx.y][threadIdx.x] = F[row * PIX + p + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = F[other * PIX + p + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < TS; ++k)
            acc += a[threadIdx.y][k] * b[threadIdx.x][k];
        __syncthreads();
    }
    Gm[row * CH + blockIdx.x * TS + threadIdx.x] = acc * scale;
}

__global__ void style_loss(const float *Gm, const float *target, float *loss)
{
    __shared__ float red[256];
    int t = threadIdx.x;
    float s = 0.f;
    for (int i = t; i < CH * CH; i += 256) {
        float d = Gm[i] - target[i];
        s += d * d;
    }
    red[t] = s;
    __syncthreads();
    for (int h = 128; h > 0; h /= 2) {
        if (t < h) red[t] += red[t + h];
        __syncthreads();
    }
    if (t == 0) loss[0] = red[0];
}

int main()
{
    std::vector<float> f(CH * PIX), g(CH * CH, 0.1f);
    for (int i = 0; i < CH * PIX; i++) f[i] = sinf(0.01f * i) + 0.1f * (i % 7);
    float *F, *Gm, *T, *L, r;
    hipMalloc(&F, CH * PIX * sizeof(float));
    hipMalloc(&Gm, CH * CH * sizeof(float));
    hipMalloc(&T, CH * CH * sizeof(float));
    hipMalloc(&L, sizeof(float));
    hipMemcpy(F, f.data(), CH * PIX * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(T, g.data(), CH * CH * sizeof(float), hipMemcpyHostToDevice);
    gram<<<dim3(CH / TS, CH / TS), dim3(TS, TS)>>>(F, Gm, 1.f / PIX);
    style_loss<<<1, 256>>>(Gm, T, L);
    hipMemcpy(&r, L, sizeof(float), hipMemcpyDeviceToHost);
    printf("%f\n", r);
}
