// Explicit Euler for the Swift-Hohenberg equation u_t = eps u - (1 + lap)^2 u + g u^2 - u^3, periodic square.
// Blind set: classes by hand; operations counted in Python for one point.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <cuda_runtime.h>

#define N 4096                    // a power of two: the wrap is a mask
#define IDX(j, i) (((j) & (N - 1)) * N + ((i) & (N - 1)))

static void must(cudaError_t e) { if (e) { fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(e)); exit(EXIT_FAILURE); } }

__global__ void apply_one_plus_laplace(const double *__restrict__ u, double *__restrict__ w, double inv_h2)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const double c = u[IDX(j, i)];
    const double lap = (u[IDX(j, i - 1)] + u[IDX(j, i + 1)] + u[IDX(j - 1, i)] + u[IDX(j + 1, i)] - 4.0 * c) * inv_h2;
    w[IDX(j, i)] = c + lap;
}

__global__ void sh_update(double *__restrict__ u, const double *__restrict__ w, double inv_h2,
                          double eps, double g, double dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const double wc = w[IDX(j, i)];
    const double lw = (w[IDX(j, i - 1)] + w[IDX(j, i + 1)] + w[IDX(j - 1, i)] + w[IDX(j + 1, i)] - 4.0 * wc) * inv_h2;
    const double v = u[IDX(j, i)];
    u[IDX(j, i)] = v + dt * (eps * v - (wc + lw) + g * v * v - v * v * v);
}

__global__ void seed(double *u)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned s = (unsigned)(j * N + i) * 2654435761u;
    s ^= s >> 15;
    u[IDX(j, i)] = 1e-2 * ((double)(s & 0xffff) / 32768.0 - 1.0);
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 20;
    const double h = 0.8, inv_h2 = 1.0 / (h * h);
    double *u, *w;
    must(cudaMalloc((void **)&u, sizeof(double) * N * N));
    must(cudaMalloc((void **)&w, sizeof(double) * N * N));
    dim3 tb(64, 4), gb(N / 64, N / 4);
    seed<<<gb, tb>>>(u);
    for (int s = 0; s < steps; ++s) {
        apply_one_plus_laplace<<<gb, tb>>>(u, w, inv_h2);
        sh_update<<<gb, tb>>>(u, w, inv_h2, 0.3, 0.1, 5e-3);
    }
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    double probe;
    must(cudaMemcpy(&probe, u + N / 2 * N + N / 2, sizeof(double), cudaMemcpyDeviceToHost));
    printf("u(centre) = %.6e after %d steps\n", probe, steps);
    cudaFree(u);
    cudaFree(w);
    return 0;
}
