// Translate coding DNA (A, C, G, T in ASCII) to amino acids through a table of 64 letters.
// The 2-bit code of a base is (c >> 1) & 3: A=0 C=1 T=2 G=3.
// By hand: 2 a base + 4 to join them = 10 a codon; those that make the index may be called index arithmetic.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static const char *kTable =
    "KNNKTTTTIIIMRSSR"   // A..
    "QHHQPPPPLLLLRRRR"   // C..
    "*YY*SSSSLFFL*CCW"   // T..
    "EDDEAAAAVVVVGGGG";  // G..

__global__ void translate(const char *dna, const char *table, char *protein, int codons)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < codons) {
        int a = (dna[3 * i] >> 1) & 3;
        int b = (dna[3 * i + 1] >> 1) & 3;
        int c = (dna[3 * i + 2] >> 1) & 3;
        protein[i] = table[(a << 4) | (b << 2) | c];
    }
}

int main()
{
    const int codons = 1000000;
    char *dna = (char *)malloc(3 * codons), *prot = (char *)malloc(codons);
    for (int i = 0; i < 3 * codons; i++) dna[i] = "ACGT"[rand() & 3];

    char *d_dna, *d_table, *d_prot;
    cudaMalloc(&d_dna, 3 * codons);
    cudaMalloc(&d_table, 64);
    cudaMalloc(&d_prot, codons);
    cudaMemcpy(d_dna, dna, 3 * codons, cudaMemcpyHostToDevice);
    cudaMemcpy(d_table, kTable, 64, cudaMemcpyHostToDevice);

    translate<<<(codons + 511) / 512, 512>>>(d_dna, d_table, d_prot, codons);
    cudaMemcpy(prot, d_prot, codons, cudaMemcpyDeviceToHost);
    printf("%.60s\n", prot);
    cudaFree(d_dna); cudaFree(d_table); cudaFree(d_prot);
    free(dna); free(prot);
    return 0;
}
