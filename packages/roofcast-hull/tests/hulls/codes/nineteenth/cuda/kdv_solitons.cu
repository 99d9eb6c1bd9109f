#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define POINTS (1 << 18)
#define WRAP(i) ((i) & (POINTS - 1))

// leap-frog of u_t + u u_x + delta^2 u_xxx = 0
__global__ void leapfrog(const double *old, const double *u, double *next, double a, double b)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < POINTS; i += gridDim.x * blockDim.x) {
        double l2 = u[WRAP(i - 2)], l1 = u[WRAP(i - 1)], r1 = u[WRAP(i + 1)], r2 = u[WRAP(i + 2)];
        next[i] = old[i] - a * (r1 + u[i] + l1) * (r1 - l1) - b * (r2 - 2.0 * r1 + 2.0 * l1 - l2);
    }
}

__global__ void invariants(const double *u, double *out)
{
    double mass = 0, momentum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < POINTS; i += gridDim.x * blockDim.x) {
        double v = u[i];
        mass += v;
        momentum += v * v;
    }
    for (int o = 16; o > 0; o >>= 1) {
        mass += __shfl_down_sync(0xffffffff, mass, o);
        momentum += __shfl_down_sync(0xffffffff, momentum, o);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(out, mass);
        atomicAdd(out + 1, momentum);
    }
}

int main(void)
{
    std::vector<double> h(POINTS);
    for (int i = 0; i < POINTS; i++) h[i] = cos(2 * 3.141592653589793 * i / POINTS * 512);
    double *o, *u, *n, *inv, r[2];
    cudaMalloc(&o, POINTS * sizeof(double));
    cudaMalloc(&u, POINTS * sizeof(double));
    cudaMalloc(&n, POINTS * sizeof(double));
    cudaMalloc(&inv, 2 * sizeof(double));
    cudaMemcpy(o, h.data(), POINTS * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(u, h.data(), POINTS * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(inv, 0, 2 * sizeof(double));
    for (int s = 0; s < 30; s++) {
        leapfrog<<<256, 256>>>(o, u, n, 0.01, 0.002);
        double *x = o;
        o = u; u = n; n = x;
    }
    invariants<<<64, 256>>>(u, inv);
    cudaMemcpy(r, inv, sizeof r, cudaMemcpyDeviceToHost);
    printf("%.12g %.12g\n", r[0], r[1]);
    return 0;
}
