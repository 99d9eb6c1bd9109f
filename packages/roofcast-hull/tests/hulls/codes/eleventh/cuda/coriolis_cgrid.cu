// One step of the velocities of a rotating ocean on an Arakawa C grid (east faces u, north faces v).
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NX 3072
#define NY 2048
#define AT(a, j, i) a[(j) * NX + (i)]

__global__ void step_u(const double *u, const double *v, const double *eta, const double *f, double *un, double dt, double gdx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= NX - 1 || j >= NY - 1) return;
    double vbar = 0.25 * (AT(v, j, i) + AT(v, j, i + 1) + AT(v, j - 1, i) + AT(v, j - 1, i + 1));
    AT(un, j, i) = AT(u, j, i) + dt * (f[j] * vbar - gdx * (AT(eta, j, i + 1) - AT(eta, j, i)));
}

__global__ void step_v(const double *u, const double *v, const double *eta, const double *f, double *vn, double dt, double gdy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= NX - 1 || j >= NY - 1) return;
    double ubar = 0.25 * (AT(u, j, i) + AT(u, j + 1, i) + AT(u, j, i - 1) + AT(u, j + 1, i - 1));
    AT(vn, j, i) = AT(v, j, i) - dt * (f[j] * ubar + gdy * (AT(eta, j + 1, i) - AT(eta, j, i)));
}

int main()
{
    size_t bytes = sizeof(double) * NX * NY;
    double *h = (double *)malloc(bytes), *u, *v, *eta, *f, *un, *vn;
    for (int k = 0; k < NX * NY; k++) h[k] = sin(0.01 * (k % NX)) * cos(0.02 * (k / NX));
    cudaMalloc(&u, bytes);
    cudaMalloc(&v, bytes);
    cudaMalloc(&eta, bytes);
    cudaMalloc(&un, bytes);
    cudaMalloc(&vn, bytes);
    cudaMalloc(&f, sizeof(double) * NY);
    cudaMemcpy(u, h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(v, h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(eta, h, bytes, cudaMemcpyHostToDevice);
    for (int j = 0; j < NY; j++) h[j] = 1e-4 + 2e-8 * j;
    cudaMemcpy(f, h, sizeof(double) * NY, cudaMemcpyHostToDevice);
    dim3 block(32, 8), grid(NX / 32, NY / 8);
    for (int step = 0; step < 4; step++) {
        step_u<<<grid, block>>>(u, v, eta, f, un, 30.0, 9.81e-3);
        step_v<<<grid, block>>>(un, v, eta, f, vn, 30.0, 9.81e-3);
        double *t = u; u = un; un = t;
        t = v; v = vn; vn = t;
    }
    cudaMemcpy(h, u, bytes, cudaMemcpyDeviceToHost);
    printf("%g\n", h[5 * NX + 7]);
    free(h);
    return cudaGetLastError() != cudaSuccess;
}
