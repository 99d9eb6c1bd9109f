#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 128

/* reciprocal part of Ewald's sum: each thread has a wave vector, atoms pass through shared memory */
__global__ void structure_factor(const float4 *atoms, int n_atoms,
                                 const float *kx, const float *ky, const float *kz,
                                 float *re, float *im, int n_k)
{
    __shared__ float4 cache[THREADS];
    int k = blockIdx.x * THREADS + threadIdx.x;
    float x = 0.f, y = 0.f, z = 0.f;
    if (k < n_k) {
        x = kx[k];
        y = ky[k];
        z = kz[k];
    }
    float sum_re = 0.f, sum_im = 0.f;
    for (int base = 0; base < n_atoms; base += THREADS) {
        cache[threadIdx.x] = atoms[base + threadIdx.x];
        __syncthreads();
        for (int a = 0; a < THREADS; ++a) {
            float4 p = cache[a];
            float phase = x * p.x + y * p.y + z * p.z;
            sum_re += p.w * cosf(phase);
            sum_im += p.w * sinf(phase);
        }
        __syncthreads();
    }
    if (k < n_k) {
        re[k] = sum_re;
        im[k] = sum_im;
    }
}

int main()
{
    const int n_atoms = 6400, n_k = 2000;
    float4 *h_atoms = (float4 *)malloc(n_atoms * sizeof(float4));
    for (int i = 0; i < n_atoms; ++i)
        h_atoms[i] = make_float4(rand() / (float)RAND_MAX, rand() / (float)RAND_MAX, rand() / (float)RAND_MAX, (i & 1) ? 1.f : -1.f);
    float *h_k = (float *)malloc(n_k * sizeof(float));
    for (int i = 0; i < n_k; ++i) h_k[i] = 0.3f * i;

    float4 *atoms;
    float *kx, *ky, *kz, *re, *im;
    cudaMalloc(&atoms, n_atoms * sizeof(float4));
    cudaMalloc(&kx, n_k * sizeof(float));
    cudaMalloc(&ky, n_k * sizeof(float));
    cudaMalloc(&kz, n_k * sizeof(float));
    cudaMalloc(&re, n_k * sizeof(float));
    cudaMalloc(&im, n_k * sizeof(float));
    cudaMemcpy(atoms, h_atoms, n_atoms * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(kx, h_k, n_k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(ky, h_k, n_k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(kz, h_k, n_k * sizeof(float), cudaMemcpyHostToDevice);
    structure_factor<<<(n_k + THREADS - 1) / THREADS, THREADS>>>(atoms, n_atoms, kx, ky, kz, re, im, n_k);
    cudaMemcpy(h_k, re, n_k * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h_k[1]);
    cudaFree(atoms);
    cudaFree(kx);
    cudaFree(ky);
    cudaFree(kz);
    cudaFree(re);
    cudaFree(im);
    free(h_atoms);
    free(h_k);
    return 0;
}
