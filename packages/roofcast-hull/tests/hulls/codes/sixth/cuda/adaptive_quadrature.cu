// Adaptive Simpson quadrature of a parametrised integrand, one integral per thread, with a private stack of intervals.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int N_INTEGRALS = 30000;
constexpr int STACK = 64;

__device__ double integrand(double x, double omega)
{
    return sin(omega * x) / (1.0e-3 + x * x);
}

struct Interval {
    double a, b, fa, fm, fb, whole, tol;
};

__global__ void integrate(const double *omegas, double *results, int n, double lo, double hi, double tol)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    const double omega = omegas[id];

    Interval stack[STACK];
    int top = 0;
    {
        const double fa = integrand(lo, omega), fb = integrand(hi, omega), fm = integrand(0.5 * (lo + hi), omega);
        stack[top++] = {lo, hi, fa, fm, fb, (hi - lo) / 6.0 * (fa + 4.0 * fm + fb), tol};
    }
    double total = 0.0;
    while (top > 0) {
        const Interval s = stack[--top];
        const double m = 0.5 * (s.a + s.b);
        const double fl = integrand(0.5 * (s.a + m), omega);
        const double fr = integrand(0.5 * (m + s.b), omega);
        const double left = (m - s.a) / 6.0 * (s.fa + 4.0 * fl + s.fm);
        const double right = (s.b - m) / 6.0 * (s.fm + 4.0 * fr + s.fb);
        const double error = left + right - s.whole;
        if (fabs(error) <= 15.0 * s.tol || top + 2 > STACK) {
            total += left + right + error / 15.0;
        } else {
            stack[top++] = {s.a, m, s.fa, fl, s.fm, left, 0.5 * s.tol};
            stack[top++] = {m, s.b, s.fm, fr, s.fb, right, 0.5 * s.tol};
        }
    }
    results[id] = total;
}

int main()
{
    std::vector<double> omegas(N_INTEGRALS), results(N_INTEGRALS);
    for (int i = 0; i < N_INTEGRALS; ++i) omegas[i] = 0.01 * i;
    double *dOmega, *dResult;
    cudaMalloc(&dOmega, sizeof(double) * N_INTEGRALS);
    cudaMalloc(&dResult, sizeof(double) * N_INTEGRALS);
    cudaMemcpy(dOmega, omegas.data(), sizeof(double) * N_INTEGRALS, cudaMemcpyHostToDevice);
    integrate<<<(N_INTEGRALS + 63) / 64, 64>>>(dOmega, dResult, N_INTEGRALS, 0.0, 3.0, 1e-9);
    cudaMemcpy(results.data(), dResult, sizeof(double) * N_INTEGRALS, cudaMemcpyDeviceToHost);
    printf("%.10f %.10f\n", results[1], results[N_INTEGRALS - 1]);
    cudaFree(dOmega);
    cudaFree(dResult);
    return 0;
}
