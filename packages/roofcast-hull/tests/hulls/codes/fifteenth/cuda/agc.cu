// Automatic gain control of seismic traces: divide by the root mean square of a sliding window.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

template <int BLOCK, int HALF>
__global__ void agc(const float *in, float *out, int n, float floor2)
{
    __shared__ float win[BLOCK + 2 * HALF];
    const float *trace = in + (size_t)blockIdx.y * n;
    int base = blockIdx.x * BLOCK;
    for (int k = threadIdx.x; k < BLOCK + 2 * HALF; k += BLOCK) {
        int t = base + k - HALF;
        win[k] = (t >= 0 && t < n) ? trace[t] : 0.f;
    }
    __syncthreads();
    float e = 0.f;
    for (int k = 0; k <= 2 * HALF; ++k) {
        float a = win[threadIdx.x + k];
        e += a * a;
    }
    constexpr float inv = 1.f / (2 * HALF + 1);
    out[(size_t)blockIdx.y * n + base + threadIdx.x] = win[threadIdx.x + HALF] / sqrtf(e * inv + floor2);
}

int main()
{
    const int traces = 64, samples = 4096;
    float *h = (float *)malloc(traces * samples * sizeof(float));
    for (int i = 0; i < traces * samples; ++i) h[i] = (rand() / (float)RAND_MAX - 0.5f) / (1 + i % samples);
    float *a, *b;
    cudaMalloc(&a, traces * samples * sizeof(float));
    cudaMalloc(&b, traces * samples * sizeof(float));
    cudaMemcpy(a, h, traces * samples * sizeof(float), cudaMemcpyHostToDevice);
    agc<256, 32><<<dim3(samples / 256, traces), 256>>>(a, b, samples, 1e-12f);
    cudaMemcpy(h, b, traces * samples * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[samples / 2]);
    free(h);
    return 0;
}
