// A million 6x6 systems (flight-dynamics normal equations), one a thread, elimination in registers without pivoting.
// Structure of arrays: coefficient (i, j) of system s lies at a[(6 i + j) n + s].
// Blind set: class by hand; operations verified by counting the loops in Python.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int DIM = 6;

#define CUDA_TRY(stmt) do { cudaError_t rc_ = (stmt); if (rc_ != cudaSuccess) { \
    std::printf("%s -> %s\n", #stmt, cudaGetErrorString(rc_)); std::exit(1); } } while (0)

template <int D>
__device__ __forceinline__ void eliminate(double (&a)[D][D], double (&b)[D])
{
#pragma unroll
    for (int k = 0; k < D - 1; ++k) {
        const double inv = 1.0 / a[k][k];
#pragma unroll
        for (int i = k + 1; i < D; ++i) {
            const double f = a[i][k] * inv;
#pragma unroll
            for (int j = k + 1; j < D; ++j) a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
#pragma unroll
    for (int k = D - 1; k >= 0; --k) {
#pragma unroll
        for (int j = k + 1; j < D; ++j) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

__global__ void solve6(const double *__restrict__ a, const double *__restrict__ rhs, double *__restrict__ sol, int n)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    double m[DIM][DIM], v[DIM];
#pragma unroll
    for (int i = 0; i < DIM; ++i) {
#pragma unroll
        for (int j = 0; j < DIM; ++j) m[i][j] = a[(size_t)(i * DIM + j) * n + s];
        v[i] = rhs[(size_t)i * n + s];
    }
    eliminate<DIM>(m, v);
#pragma unroll
    for (int i = 0; i < DIM; ++i) sol[(size_t)i * n + s] = v[i];
}

__global__ void makeSystems(double *a, double *rhs, int n)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    for (int i = 0; i < DIM; ++i) {
        for (int j = 0; j < DIM; ++j)
            a[(size_t)(i * DIM + j) * n + s] = i == j ? 10.0 + (s % 7) : 1.0 / (1 + i + j + s % 3);
        rhs[(size_t)i * n + s] = i - 2.5;
    }
}

int main()
{
    const int n = 1 << 20;
    double *a, *rhs, *sol;
    CUDA_TRY(cudaMalloc(&a, sizeof(double) * DIM * DIM * n));
    CUDA_TRY(cudaMalloc(&rhs, sizeof(double) * DIM * n));
    CUDA_TRY(cudaMalloc(&sol, sizeof(double) * DIM * n));
    makeSystems<<<n / 128, 128>>>(a, rhs, n);
    solve6<<<(n + 127) / 128, 128>>>(a, rhs, sol, n);
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaDeviceSynchronize());
    double x0;
    CUDA_TRY(cudaMemcpy(&x0, sol, sizeof(double), cudaMemcpyDeviceToHost));
    std::printf("x[0] of system 0: %.12f\n", x0);
    cudaFree(a); cudaFree(rhs); cudaFree(sol);
    return 0;
}
