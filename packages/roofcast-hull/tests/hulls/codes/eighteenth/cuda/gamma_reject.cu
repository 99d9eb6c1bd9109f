// Marsaglia and Tsang for shapes above one, every thread its own generator.
#include <cstdio>
#include <cuda_runtime.h>

#define DRAWS (1 << 20)

__device__ unsigned lcg(unsigned &s) { return s = s * 1664525u + 1013904223u; }
__device__ float unit(unsigned &s) { return ((lcg(s) >> 9) + 0.5f) / 8388608.f; }

__global__ void gamma_draws(const float *shape, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = 9781u * i + 7u;
    float d = shape[i] - 1.f / 3.f;
    float c = rsqrtf(9.f * d);
    while (true) {
        float z = sqrtf(-2.f * logf(unit(s))) * cosf(6.2831853f * unit(s));
        float v = 1.f + c * z;
        if (v <= 0.f) continue;
        v = v * v * v;
        if (logf(unit(s)) < 0.5f * z * z + d - d * v + d * logf(v)) {
            out[i] = d * v;
            break;
        }
    }
}

// claims: frequency times severity, capped by the layer
__global__ void layer_loss(const float *severity, const unsigned char *count, float *loss, float attach, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= DRAWS) return;
    loss[i] = fminf(fmaxf(severity[i] * count[i] - attach, 0.f), limit);
}

int main()
{
    float *shape, *g, *loss; unsigned char *cnt;
    cudaMallocManaged(&shape, DRAWS * sizeof(float));
    cudaMallocManaged(&g, DRAWS * sizeof(float));
    cudaMallocManaged(&loss, DRAWS * sizeof(float));
    cudaMallocManaged(&cnt, DRAWS);
    for (int i = 0; i < DRAWS; i++) { shape[i] = 1.2f + 0.1f * (i % 40); cnt[i] = i % 6; }
    gamma_draws<<<DRAWS / 256, 256>>>(shape, g);
    layer_loss<<<DRAWS / 256, 256>>>(g, cnt, loss, 5.f, 20.f);
    cudaDeviceSynchronize();
    printf("%f %f\n", g[5], loss[5]);
    return 0;
}
