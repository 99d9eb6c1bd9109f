#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

// linear advection to the right with WENO-5 of Jiang and Shu; ghost cells are never written

using real = double;

__device__ __forceinline__ real sq(real x) { return x * x; }

__device__ real reconstruct(real a, real b, real c, real d, real e)
{
    const real eps = 1e-6;
    real b0 = 13.0 / 12.0 * sq(a - 2.0 * b + c) + 0.25 * sq(a - 4.0 * b + 3.0 * c);
    real b1 = 13.0 / 12.0 * sq(b - 2.0 * c + d) + 0.25 * sq(b - d);
    real b2 = 13.0 / 12.0 * sq(c - 2.0 * d + e) + 0.25 * sq(3.0 * c - 4.0 * d + e);
    real w0 = 0.1 / sq(eps + b0);
    real w1 = 0.6 / sq(eps + b1);
    real w2 = 0.3 / sq(eps + b2);
    real q0 = 2.0 * a - 7.0 * b + 11.0 * c;
    real q1 = 5.0 * c - b + 2.0 * d;
    real q2 = 2.0 * c + 5.0 * d - e;
    return (w0 * q0 + w1 * q1 + w2 * q2) / (6.0 * (w0 + w1 + w2));
}

__global__ void weno_flux(const real *__restrict__ u, real *__restrict__ f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 && i < n - 2)
        f[i] = reconstruct(u[i - 2], u[i - 1], u[i], u[i + 1], u[i + 2]);   // at i + 1/2
}

__global__ void advance(const real *__restrict__ u, const real *__restrict__ f, real *__restrict__ unew, real courant, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 3 && i < n - 2)
        unew[i] = u[i] - courant * (f[i] - f[i - 1]);
}

int main(int argc, char **argv)
{
    int n = 1000000;
    int steps = 20;
    for (int a = 1; a + 1 < argc; a += 2) {
        if (argv[a][1] == 'n') n = atoi(argv[a + 1]);
        if (argv[a][1] == 's') steps = atoi(argv[a + 1]);
    }
    std::vector<real> h(n);
    for (int i = 0; i < n; ++i) h[i] = (i > n / 4 && i < n / 2) ? 1.0 : 0.0;

    real *u, *unew, *f;
    cudaMalloc(&u, n * sizeof(real));
    cudaMalloc(&unew, n * sizeof(real));
    cudaMalloc(&f, n * sizeof(real));
    cudaMemcpy(u, h.data(), n * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(unew, u, n * sizeof(real), cudaMemcpyDeviceToDevice);

    cudaEvent_t t0, t1;
    cudaEventCreate(&t0);
    cudaEventCreate(&t1);
    cudaEventRecord(t0, 0);
    const int tpb = 256, nb = (n + tpb - 1) / tpb;
    for (int s = 0; s < steps; ++s) {
        weno_flux<<<nb, tpb>>>(u, f, n);
        advance<<<nb, tpb>>>(u, f, unew, 0.2, n);
        std::swap(u, unew);
    }
    cudaEventRecord(t1, 0);
    cudaEventSynchronize(t1);
    float ms = 0;
    cudaEventElapsedTime(&ms, t0, t1);

    cudaMemcpy(h.data(), u, n * sizeof(real), cudaMemcpyDeviceToHost);
    double total = 0;
    for (real v : h) total += v;
    printf("%d steps, %.3f ms, mass %.6f\n", steps, ms, total / n);
    cudaFree(u);
    cudaFree(unew);
    cudaFree(f);
    return 0;
}
