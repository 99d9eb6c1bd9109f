#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

constexpr int N = 1024;
struct Coef { double dt2, ih2, idt, ih; };
__constant__ Coef C;

__global__ void leap(const double *u, double *prev)      // prev becomes the next level
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < N - 1 && y > 0 && y < N - 1) {
        int i = y * N + x;
        double c = u[i];
        double lap = (u[i - 1] + u[i + 1] + u[i - N] + u[i + N] - 4.0 * c) * C.ih2;
        prev[i] = 2.0 * c - prev[i] + C.dt2 * (lap - sin(c));
    }
}

__global__ void energy(const double *u, const double *prev, double *total)
{
    __shared__ double part[16 * 16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    int t = threadIdx.y * 16 + threadIdx.x;
    double e = 0.0;
    if (x < N - 1 && y < N - 1) {
        int i = y * N + x;
        double c = u[i];
        double ut = (c - prev[i]) * C.idt;
        double ux = (u[i + 1] - c) * C.ih;
        double uy = (u[i + N] - c) * C.ih;
        e = 0.5 * (ut * ut + ux * ux + uy * uy) + 1.0 - cos(c);
    }
    part[t] = e;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) atomicAdd(total, part[0]);
}

int main()
{
    const double h = 0.05, dt = 0.02;
    Coef c{dt * dt, 1.0 / (h * h), 1.0 / dt, 1.0 / h};
    cudaMemcpyToSymbol(C, &c, sizeof c);
    std::vector<double> init(N * N);
    for (int y = 0; y < N; ++y)
        for (int x = 0; x < N; ++x)
            init[y * N + x] = 4.0 * atan(exp(5.0 - h * std::hypot(x - N / 2.0, y - N / 2.0)));
    double *u, *prev, *tot, e;
    cudaMalloc(&u, N * N * sizeof(double));
    cudaMalloc(&prev, N * N * sizeof(double));
    cudaMalloc(&tot, sizeof(double));
    cudaMemcpy(u, init.data(), N * N * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(prev, u, N * N * sizeof(double), cudaMemcpyDeviceToDevice);
    cudaMemset(tot, 0, sizeof(double));
    dim3 b(32, 8), g(N / 32, N / 8);
    for (int s = 0; s < 200; ++s) {
        leap<<<g, b>>>(u, prev);
        std::swap(u, prev);
    }
    energy<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(u, prev, tot);
    cudaMemcpy(&e, tot, sizeof e, cudaMemcpyDeviceToHost);
    printf("energy %.9g\n", e * h * h);
}
