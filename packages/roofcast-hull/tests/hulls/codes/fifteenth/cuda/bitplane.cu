// Sixteen 16-bit coefficients to sixteen planes of bits, most significant last, for an embedded coder.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int GROUP = 16;
constexpr int NGROUPS = 1 << 17;

__global__ void to_bitplanes(const int16_t *__restrict__ coef, uint16_t *__restrict__ plane)
{
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    const int16_t *c = coef + g * GROUP;
    uint16_t *out = plane + g * GROUP;
    for (int p = 0; p < 16; ++p) {
        unsigned w = 0;
        for (int i = 0; i < GROUP; ++i)
            w |= ((c[i] >> p) & 1u) << i;
        out[p] = (uint16_t)w;
    }
}

int main()
{
    int16_t *coef;
    uint16_t *plane;
    cudaMallocManaged(&coef, sizeof(int16_t) * GROUP * NGROUPS);
    cudaMallocManaged(&plane, sizeof(uint16_t) * GROUP * NGROUPS);
    for (int i = 0; i < GROUP * NGROUPS; ++i) coef[i] = (int16_t)(rand() % 2048);
    to_bitplanes<<<NGROUPS / 128, 128>>>(coef, plane);
    cudaDeviceSynchronize();
    printf("%04x %04x\n", plane[0], plane[1]);
    cudaFree(coef);
    cudaFree(plane);
}
