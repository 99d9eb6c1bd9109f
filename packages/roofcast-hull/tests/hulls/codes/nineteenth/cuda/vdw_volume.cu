// Molar volume of a van der Waals gas by Newton's method, to a tolerance
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

const int STATES = 200000;
#define RGAS 8.314462618

__global__ void molar_volumes(const double *T, const double *P, double *V, double a, double b)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < STATES; i += blockDim.x * gridDim.x) {
        double t = T[i], p = P[i];
        double v = RGAS * t / p + b, step;
        do {
            double f = p * v * v * v - (p * b + RGAS * t) * v * v + a * v - a * b;
            double df = 3 * p * v * v - 2 * (p * b + RGAS * t) * v + a;
            step = f / df;
            v -= step;
        } while (fabs(step) > 1e-10 * v);
        V[i] = v;
    }
}

int main()
{
    std::vector<double> t(STATES), p(STATES);
    for (int i = 0; i < STATES; i++) { t[i] = 320 + i % 400; p[i] = 1e5 + 3e4 * (i % 97); }
    double *T, *P, *V, v;
    cudaMalloc(&T, STATES * sizeof(double));
    cudaMalloc(&P, STATES * sizeof(double));
    cudaMalloc(&V, STATES * sizeof(double));
    cudaMemcpy(T, t.data(), STATES * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(P, p.data(), STATES * sizeof(double), cudaMemcpyHostToDevice);
    molar_volumes<<<200, 128>>>(T, P, V, 0.364, 4.27e-5);
    cudaMemcpy(&v, V, sizeof v, cudaMemcpyDeviceToHost);
    printf("%g m3/mol\n", v);
}
