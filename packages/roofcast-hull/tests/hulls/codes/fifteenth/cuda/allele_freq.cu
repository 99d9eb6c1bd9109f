// Genotype dosages (0, 1, 2; -1 missing), one SNP a row: frequency and heterozygosity by a warp, then standardised columns.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
typedef signed char i8;
const int SNPS = 16384;
const int PEOPLE = 1024;

__inline__ __device__ int warp_sum(int v)
{
    for (int m = 16; m; m >>= 1) v += __shfl_xor_sync(0xffffffff, v, m);
    return v;
}

__global__ void snp_frequency(const i8 *geno, float *freq, float *het)
{
    int snp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    const i8 *row = geno + (size_t)snp * PEOPLE;
    int alt = 0, hets = 0, called = 0;
    for (int i = lane; i < PEOPLE; i += 32) {
        int g = row[i];
        if (g >= 0) {
            alt += g;
            hets += g == 1;
            called += 1;
        }
    }
    alt = warp_sum(alt);
    hets = warp_sum(hets);
    called = warp_sum(called);
    if (lane == 0) {
        freq[snp] = 0.5f * alt / called;
        het[snp] = (float)hets / called;
    }
}

__global__ void standardise(const i8 *geno, const float *freq, float *z)
{
    int person = blockIdx.x * blockDim.x + threadIdx.x;
    int snp = blockIdx.y;
    float p = freq[snp];
    float centre = 2.f * p;
    z[(size_t)snp * PEOPLE + person] = (geno[(size_t)snp * PEOPLE + person] - centre) * rsqrtf(centre * (1.f - p));
}

int main()
{
    size_t n = (size_t)SNPS * PEOPLE;
    i8 *h = (i8 *)malloc(n);
    for (size_t i = 0; i < n; i++) { int r = rand() % 100; h[i] = r < 2 ? -1 : r < 50 ? 0 : r < 85 ? 1 : 2; }
    i8 *geno; float *freq, *het, *z;
    cudaMalloc(&geno, n);
    cudaMalloc(&freq, SNPS * sizeof(float));
    cudaMalloc(&het, SNPS * sizeof(float));
    cudaMalloc(&z, n * sizeof(float));
    cudaMemcpy(geno, h, n, cudaMemcpyHostToDevice);
    snp_frequency<<<SNPS * 32 / 256, 256>>>(geno, freq, het);
    standardise<<<dim3(PEOPLE / 256, SNPS), 256>>>(geno, freq, z);
    float f;
    cudaMemcpy(&f, freq, sizeof f, cudaMemcpyDeviceToHost);
    printf("%g\n", f);
    return 0;
}
