#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void srad(float lambda, int Nr, int Nc, long Ne, int *iN, int *iS, int *jE, int *jW, float *dN, float *dS, float *dE, float *dW, float q0, float *c, float *I) {
  int ei = blockIdx.x * 512 + threadIdx.x;
  int row = (ei + 1) % Nr - 1, col = (ei + 1) / Nr + 1 - 1;
  if ((ei + 1) % Nr == 0) { row = Nr - 1; col = col - 1; }
  if (ei < Ne) {
    float Jc = I[ei];
    float n = I[iN[row] + Nr * col] - Jc, s = I[iS[row] + Nr * col] - Jc, w = I[row + Nr * jW[col]] - Jc, e = I[row + Nr * jE[col]] - Jc;
    float G2 = (n * n + s * s + w * w + e * e) / (Jc * Jc), L = (n + s + w + e) / Jc;
    float num = 0.5f * G2 - (1.0f / 16) * L * L, den = 1 + 0.25f * L, q = num / (den * den);
    den = (q - q0) / (q0 * (1 + q0)); float cl = 1.0f / (1.0f + den);
    if (cl < 0) cl = 0; else if (cl > 1) cl = 1;
    dN[ei] = n; dS[ei] = s; dW[ei] = w; dE[ei] = e; c[ei] = cl;
  }
}
int main() {
  int Nr = 2048, Nc = 2048; long Ne = (long)Nr * Nc; int *a, *b, *cc, *d; float *f[6];
  float *dN, *dS, *dE, *dW, *cf, *I;
  cudaMalloc(&a, sizeof(int) * Nr); cudaMalloc(&b, sizeof(int) * Nr); cudaMalloc(&cc, sizeof(int) * Nc); cudaMalloc(&d, sizeof(int) * Nc);
  cudaMalloc(&dN, sizeof(float) * Ne); cudaMalloc(&dS, sizeof(float) * Ne); cudaMalloc(&dE, sizeof(float) * Ne); cudaMalloc(&dW, sizeof(float) * Ne); cudaMalloc(&cf, sizeof(float) * Ne); cudaMalloc(&I, sizeof(float) * Ne);
  srad<<<(Ne + 511) / 512, 512>>>(0.5f, Nr, Nc, Ne, a, b, cc, d, dN, dS, dE, dW, 0.05f, cf, I);
}