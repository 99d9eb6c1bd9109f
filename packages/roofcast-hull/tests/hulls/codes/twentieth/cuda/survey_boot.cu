// household survey: weighted bootstrap replicates; drunkard's time to leave an interval
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

constexpr int RESP = 1500;
constexpr int REPL = 20000;

// replicate weights are given as counts (Rao-Wu), one byte for each respondent
__global__ void replicate_means(const float *y, const float *w, const unsigned char *count, float *mean)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= REPL) return;
    float num = 0.f, den = 0.f;
    for (int i = 0; i < RESP; i++) {
        float c = w[i] * count[(size_t)i * REPL + b];
        num += c * y[i];
        den += c;
    }
    mean[b] = num / den;
}

__global__ void squared_dev(const float *mean, float centre, double *out)
{
    __shared__ double s[128];
    double a = 0;
    for (int b = threadIdx.x; b < REPL; b += 128) {
        double d = (double)mean[b] - centre;
        a += d * d;
    }
    s[threadIdx.x] = a;
    for (int h = 64; h; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    }
    if (threadIdx.x == 0) *out = sqrt(s[0] / (REPL - 1));
}

__global__ void first_exit(const unsigned *seed, int *steps, float lo, float hi)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = seed[i];
    float x = 0.f;
    int n = 0;
    while (x > lo && x < hi) {
        s = s * 1664525u + 1013904223u;
        x += (s >> 8) * (2.f / 16777216.f) - 1.f;
        ++n;
    }
    steps[i] = n;
}

int main()
{
    float *y, *w, *mean; unsigned char *cnt; double *se; unsigned *seed; int *steps;
    cudaMallocManaged(&y, RESP * sizeof(float));
    cudaMallocManaged(&w, RESP * sizeof(float));
    cudaMallocManaged(&mean, REPL * sizeof(float));
    cudaMallocManaged(&cnt, (size_t)RESP * REPL);
    cudaMallocManaged(&se, sizeof(double));
    cudaMallocManaged(&seed, 65536 * sizeof(unsigned));
    cudaMallocManaged(&steps, 65536 * sizeof(int));
    for (int i = 0; i < RESP; i++) { y[i] = 20.f + i % 61; w[i] = 0.5f + (i % 7) * 0.3f; }
    for (size_t i = 0; i < (size_t)RESP * REPL; i++) cnt[i] = (i * 2654435761u >> 13) % 3;
    for (int i = 0; i < 65536; i++) seed[i] = i * 9781u + 3;
    replicate_means<<<(REPL + 63) / 64, 64>>>(y, w, cnt, mean);
    squared_dev<<<1, 128>>>(mean, 50.f, se);
    first_exit<<<65536 / 256, 256>>>(seed, steps, -20.f, 20.f);
    cudaDeviceSynchronize();
    printf("%g %d\n", *se, steps[9]);
    return 0;
}
