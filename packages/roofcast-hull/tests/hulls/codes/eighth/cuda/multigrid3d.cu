// Pieces of a cell-centred 3D multigrid cycle: residual, restriction (mean of 8 cells), piecewise-constant correction.
// u has one layer of ghost cells. Blind set: classes by hand; operations counted in Python for one cell.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line) {
    if (code != cudaSuccess) { fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line); exit(code); }
}

template <typename Real>
__global__ void residual(const Real *u, const Real *f, Real *r, int n, Real invh2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= n || j >= n || k >= n) return;
    const int m = n + 2;
    const int c = ((k + 1) * m + (j + 1)) * m + (i + 1);
    Real au = (6 * u[c] - u[c - 1] - u[c + 1] - u[c - m] - u[c + m] - u[c - m * m] - u[c + m * m]) * invh2;
    int p = (k * n + j) * n + i;
    r[p] = f[p] - au;
}

template <typename Real>
__global__ void restrictMean(const Real *fine, Real *coarse, int nc)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= nc || j >= nc || k >= nc) return;
    const int n = 2 * nc;
    const Real *p = fine + (2 * k * n + 2 * j) * n + 2 * i;
    Real lower = p[0] + p[1] + p[n] + p[n + 1];
    p += n * n;
    Real upper = p[0] + p[1] + p[n] + p[n + 1];
    coarse[(k * nc + j) * nc + i] = Real(0.125) * (lower + upper);
}

template <typename Real>
__global__ void prolongAdd(const Real *coarse, Real *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= n || j >= n || k >= n) return;
    const int m = n + 2, nc = n / 2;
    u[((k + 1) * m + j + 1) * m + i + 1] += coarse[((k / 2) * nc + j / 2) * nc + i / 2];
}

int main()
{
    const int n = 256, nc = n / 2;
    const size_t nu = (size_t)(n + 2) * (n + 2) * (n + 2), nf = (size_t)n * n * n, ncc = (size_t)nc * nc * nc;
    float *u, *f, *r, *rc;
    gpuErrchk(cudaMalloc(&u, nu * sizeof(float)));
    gpuErrchk(cudaMalloc(&f, nf * sizeof(float)));
    gpuErrchk(cudaMalloc(&r, nf * sizeof(float)));
    gpuErrchk(cudaMalloc(&rc, ncc * sizeof(float)));
    gpuErrchk(cudaMemset(u, 0, nu * sizeof(float)));
    gpuErrchk(cudaMemset(f, 0x3c, nf * sizeof(float)));   // 0.0115...

    dim3 block(32, 4, 2);
    dim3 gridF(n / 32, n / 4, n / 2), gridC(nc / 32, nc / 4, nc / 2);
    for (int cycle = 0; cycle < 4; ++cycle) {
        residual<float><<<gridF, block>>>(u, f, r, n, 1.0f * n * n);
        restrictMean<float><<<gridC, block>>>(r, rc, nc);
        prolongAdd<float><<<gridF, block>>>(rc, u, n);
    }
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaDeviceSynchronize());
    printf("done\n");
    cudaFree(u); cudaFree(f); cudaFree(r); cudaFree(rc);
    return 0;
}
