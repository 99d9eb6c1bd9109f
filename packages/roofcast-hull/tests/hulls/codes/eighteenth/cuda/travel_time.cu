// First arrivals by Jacobi sweeps of the upwind eikonal update; the outermost ring is held at a large time.
#include <cstdio>
#include <utility>
#include <cuda_runtime.h>

#define NXG 1024
#define NZG 768
#define AT(a, z, x) (a)[(z) * NXG + (x)]

__global__ void sweep(const float *t, const float *slow, float *tn, float h)
{
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int z = blockIdx.y * 8 + threadIdx.y;
    if (x > 0 && z > 0 && x < NXG - 1 && z < NZG - 1) {
        float a = fminf(AT(t, z, x - 1), AT(t, z, x + 1));
        float b = fminf(AT(t, z - 1, x), AT(t, z + 1, x));
        float sh = AT(slow, z, x) * h;
        float d = fabsf(a - b);
        float cand = d >= sh ? fminf(a, b) + sh
                             : 0.5f * (a + b + sqrtf(2.f * sh * sh - d * d));
        AT(tn, z, x) = fminf(AT(t, z, x), cand);
    }
}

int main()
{
    float *t, *tn, *s;
    size_t sz = NXG * NZG * sizeof(float);
    cudaMallocManaged(&t, sz);
    cudaMallocManaged(&tn, sz);
    cudaMallocManaged(&s, sz);
    for (int i = 0; i < NXG * NZG; i++) { t[i] = tn[i] = 1e6f; s[i] = 1.f / (1500.f + 2.f * (i / NXG)); }
    AT(t, 4, 512) = AT(tn, 4, 512) = 0.f;
    for (int it = 0; it < 200; it++) {
        sweep<<<dim3(NXG / 32, NZG / 8), dim3(32, 8)>>>(t, s, tn, 5.f);
        std::swap(t, tn);
    }
    cudaDeviceSynchronize();
    printf("%f\n", AT(t, 60, 540));
    return 0;
}
