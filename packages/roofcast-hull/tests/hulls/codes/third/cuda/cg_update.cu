// Updates of conjugate gradients; the scalars stay on the device.
#include <cuda_runtime.h>

__global__ void update_xr(double *x, double *r, const double *p, const double *ap, const double *rr, const double *pap, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double alpha = *rr / *pap;
        x[i] += alpha * p[i];
        r[i] -= alpha * ap[i];
    }
}

__global__ void update_p(double *p, const double *r, const double *beta, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = r[i] + beta[0] * p[i];
}

int main()
{
    const int n = 1000 * 1000;
    double *x, *r, *p, *ap, *scalars;
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&r, n * sizeof(double));
    cudaMalloc(&p, n * sizeof(double));
    cudaMalloc(&ap, n * sizeof(double));
    cudaMalloc(&scalars, 3 * sizeof(double));
    const int blocks = (n + 255) / 256;
    for (int k = 0; k < 25; k++) {
        update_xr<<<blocks, 256>>>(x, r, p, ap, scalars, scalars + 1, n);
        update_p<<<blocks, 256>>>(p, r, scalars + 2, n);
    }
    cudaDeviceSynchronize();
    return 0;
}
