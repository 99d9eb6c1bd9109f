// Log likelihoods of homozygous reference and alternative against heterozygous, from bases piled up at each site.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cuda_runtime.h>

template <int DEPTH>
__global__ void site_likelihood(const uint8_t* base, const uint8_t* qual, const uint8_t* ref, float* hom, float* alt, int sites)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= sites) return;
    const float het = DEPTH * -0.6931472f;
    const uint8_t want = ref[s];
    float l0 = 0.f, l2 = 0.f;
    for (int d = 0; d < DEPTH; d++) {
        float e = exp2f((float)qual[s * DEPTH + d] * -0.3321928f);
        float ok = 1.f - e;
        bool same = base[s * DEPTH + d] == want;
        l0 += logf(same ? ok : e);
        l2 += logf(same ? e : ok);
    }
    hom[s] = l0 - het;
    alt[s] = l2 - het;
}

int main()
{
    const int sites = 100000, depth = 30;
    uint8_t *b, *q, *r;
    float *h, *a;
    cudaMallocManaged(&b, sites * depth);
    cudaMallocManaged(&q, sites * depth);
    cudaMallocManaged(&r, sites);
    cudaMallocManaged(&h, sites * sizeof(float));
    cudaMallocManaged(&a, sites * sizeof(float));
    for (int i = 0; i < sites; i++) r[i] = i & 3;
    for (int i = 0; i < sites * depth; i++) {
        b[i] = rand() & 3;
        q[i] = 10 + rand() % 30;
    }
    site_likelihood<depth><<<(sites + 191) / 192, 192>>>(b, q, r, h, a, sites);
    cudaDeviceSynchronize();
    printf("%f %f\n", h[9], a[9]);
    return 0;
}
