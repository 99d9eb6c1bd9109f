// Levelling of a thin liquid film: h_t = -(h^3 h_xxx)_x, periodic, explicit steps.
#include <cstdio>
#include <cmath>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

constexpr int N = 1 << 22;

__device__ __forceinline__ double flux(double hm, double h0, double h1, double h2)
{
    double mid = 0.5 * (h0 + h1);
    return mid * mid * mid * (h2 - 3.0 * h1 + 3.0 * h0 - hm);
}

__global__ void level(const double *h, double *next, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = h[(i - 2 + N) % N], b = h[(i - 1 + N) % N], m = h[i], d = h[(i + 1) % N], e = h[(i + 2) % N];
    next[i] = m - c * (flux(b, m, d, e) - flux(a, b, m, d));
}

int main()
{
    std::vector<double> h(N);
    for (int i = 0; i < N; ++i) h[i] = 1.0 + 0.1 * std::cos(6.283185307 * i / 512.0);
    double *u, *v;
    cudaMalloc(&u, N * sizeof(double));
    cudaMalloc(&v, N * sizeof(double));
    cudaMemcpy(u, h.data(), N * sizeof(double), cudaMemcpyHostToDevice);
    for (int step = 0; step < 40; ++step) {
        level<<<N / 256, 256>>>(u, v, 0.01);
        std::swap(u, v);
    }
    cudaMemcpy(h.data(), u, N * sizeof(double), cudaMemcpyDeviceToHost);
    printf("h[0] = %.12f\n", h[0]);
    cudaFree(u);
    cudaFree(v);
}
