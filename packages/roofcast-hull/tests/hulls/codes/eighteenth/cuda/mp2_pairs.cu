// Second-order Moller-Plesset on the device: integrals (ia|jb) stored as [i][j][a][b].
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

const int NO = 24, NV = 96;

__global__ void amplitudes(const double *v, const double *eo, const double *ev, double *t)
{
    int b = threadIdx.x;
    int a = blockIdx.x;
    int j = blockIdx.y;
    int i = blockIdx.z;
    size_t p = (((size_t)i * NO + j) * NV + a) * NV + b;
    t[p] = v[p] / (eo[i] + eo[j] - ev[a] - ev[b]);
}

__global__ void pair_energy(const double *v, const double *t, double *epair)
{
    __shared__ double part[256];
    const size_t base = (size_t)blockIdx.x * NV * NV;
    double e = 0.0;
    for (int k = threadIdx.x; k < NV * NV; k += blockDim.x) {
        int a = k / NV, b = k % NV;
        e += t[base + k] * (2.0 * v[base + k] - v[base + b * NV + a]);
    }
    part[threadIdx.x] = e;
    __syncthreads();
    for (int s = blockDim.x / 2; s; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) epair[blockIdx.x] = part[0];
}

int main()
{
    size_t n = (size_t)NO * NO * NV * NV;
    double *v, *t, *eo, *ev, *ep;
    cudaMallocManaged(&v, n * sizeof(double));
    cudaMallocManaged(&t, n * sizeof(double));
    cudaMallocManaged(&eo, NO * sizeof(double));
    cudaMallocManaged(&ev, NV * sizeof(double));
    cudaMallocManaged(&ep, NO * NO * sizeof(double));
    for (size_t k = 0; k < n; k++) v[k] = 1e-3 * (rand() / (double)RAND_MAX - 0.5);
    for (int k = 0; k < NO; k++) eo[k] = -1.0 - 0.03 * k;
    for (int k = 0; k < NV; k++) ev[k] = 0.1 + 0.05 * k;
    amplitudes<<<dim3(NV, NO, NO), NV>>>(v, eo, ev, t);
    pair_energy<<<NO * NO, 256>>>(v, t, ep);
    cudaDeviceSynchronize();
    double e = 0;
    for (int k = 0; k < NO * NO; k++) e += ep[k];
    printf("E(2) = %.10f\n", e);
    return 0;
}
