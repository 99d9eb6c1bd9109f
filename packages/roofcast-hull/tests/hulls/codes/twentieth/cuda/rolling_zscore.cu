#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define WIN 20
#define TPB 256
#define DAYS 4000000

// spread z-score over the last WIN ticks; the window ends at the tick itself
__global__ void zscore(const float *px, float *z, int n)
{
    __shared__ float s[TPB + WIN - 1];
    int first = blockIdx.x * TPB;
    for (int j = threadIdx.x; j < TPB + WIN - 1; j += TPB) {
        int g = first + j;
        s[j] = g < n ? px[g] : 0.f;
    }
    __syncthreads();
    int o = first + threadIdx.x;
    if (o > n - WIN) return;
    float m = 0.f, q = 0.f;
    for (int w = 0; w < WIN; w++) {
        float v = s[threadIdx.x + w];
        m += v;
        q += v * v;
    }
    m /= WIN;
    q = q / WIN - m * m;
    z[o] = (s[threadIdx.x + WIN - 1] - m) * rsqrtf(q + 1e-12f);
}

__global__ void enter_exit(const float *z, signed char *sig, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sig[i] = (signed char)((z[i] < -2.f) - (z[i] > 2.f));
}

int main(int argc, char **argv)
{
    int n = DAYS, m = DAYS - WIN + 1;
    float *h = (float *)malloc(n * sizeof(float)), *px, *z;
    signed char *sig;
    h[0] = 50.f;
    for (int i = 1; i < n; i++) h[i] = h[i - 1] + (rand() / (float)RAND_MAX - 0.5f) + 0.001f * (50.f - h[i - 1]);
    cudaMalloc((void **)&px, n * sizeof(float));
    cudaMalloc((void **)&z, m * sizeof(float));
    cudaMalloc((void **)&sig, m);
    cudaMemcpy(px, h, n * sizeof(float), cudaMemcpyHostToDevice);
    zscore<<<(n + TPB - 1) / TPB, TPB>>>(px, z, n);
    enter_exit<<<(m + 511) / 512, 512>>>(z, sig, m);
    cudaMemcpy(h, z, m * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[100]);
    free(h);
    return 0;
}
