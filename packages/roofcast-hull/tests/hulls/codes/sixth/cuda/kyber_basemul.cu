// Pointwise products of polynomials in the NTT domain of ML-KEM (Kyber): products modulo (X^2 - zeta), Montgomery form.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define KYBER_Q 3329
#define QINV -3327 // q^-1 mod 2^16
#define PAIRS 128  // 256 coefficients
#define BATCH 4096

__device__ __forceinline__ int16_t montgomery_reduce(int32_t a)
{
    int16_t t = (int16_t)(a * QINV);
    return (int16_t)((a - (int32_t)t * KYBER_Q) >> 16);
}

__device__ __forceinline__ int16_t fqmul(int16_t a, int16_t b)
{
    return montgomery_reduce((int32_t)a * b);
}

__global__ void basemul(short2 *r, const short2 *a, const short2 *b, const int16_t *zetas)
{
    const int poly = blockIdx.x;
    const int j = threadIdx.x;
    const int16_t zeta = zetas[j];
    const short2 f = a[poly * PAIRS + j];
    const short2 g = b[poly * PAIRS + j];

    short2 h;
    h.x = fqmul(f.y, g.y);
    h.x = fqmul(h.x, zeta);
    h.x = h.x + fqmul(f.x, g.x);
    h.y = fqmul(f.x, g.y);
    h.y = h.y + fqmul(f.y, g.x);
    r[poly * PAIRS + j] = h;
}

static int16_t power_mod(int base, int e)
{
    int r = 1;
    while (e--) r = (r * base) % KYBER_Q;
    return (int16_t)r;
}

int main()
{
    const size_t n = (size_t)BATCH * PAIRS;
    short2 *a, *b, *r;
    int16_t *zetas;
    cudaMallocManaged(&a, n * sizeof(short2));
    cudaMallocManaged(&b, n * sizeof(short2));
    cudaMallocManaged(&r, n * sizeof(short2));
    cudaMallocManaged(&zetas, PAIRS * sizeof(int16_t));
    for (int j = 0; j < PAIRS; j++) {
        int rev = 0;
        for (int bit = 0; bit < 7; bit++) rev |= ((j >> bit) & 1) << (6 - bit);
        zetas[j] = (int16_t)((power_mod(17, 2 * rev + 1) * 2285) % KYBER_Q); // times 2^16 mod q
    }
    for (size_t i = 0; i < n; i++) {
        a[i] = make_short2(rand() % KYBER_Q, rand() % KYBER_Q);
        b[i] = make_short2(rand() % KYBER_Q, rand() % KYBER_Q);
    }
    basemul<<<BATCH, PAIRS>>>(r, a, b, zetas);
    cudaDeviceSynchronize();
    printf("%d %d\n", r[0].x, r[0].y);
    cudaFree(a);
    cudaFree(b);
    cudaFree(r);
    cudaFree(zetas);
    return 0;
}
