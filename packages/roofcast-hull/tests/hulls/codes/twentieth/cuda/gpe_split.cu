// Bose-Einstein condensate, split step: potential part and norm on a 3-D grid
#include <cstdio>
#include <cmath>
#include <cuComplex.h>
#include <cuda_runtime.h>

#define NG 160
#define CELL(x, y, z) (((z) * NG + (y)) * NG + (x))

__global__ void potential_step(cuDoubleComplex *psi, const double *trap, double g, double dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= NG || y >= NG || z >= NG) return;
    int c = CELL(x, y, z);
    cuDoubleComplex p = psi[c];
    double dens = p.x * p.x + p.y * p.y;
    double phase = -dt * (trap[c] + g * dens);
    double sn = sin(phase), cs = cos(phase);
    psi[c] = make_cuDoubleComplex(p.x * cs - p.y * sn, p.x * sn + p.y * cs);
}

__global__ void norm2(const cuDoubleComplex *psi, double *norm, int n)
{
    extern __shared__ double sh[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sh[threadIdx.x] = i < n ? cuCreal(psi[i]) * cuCreal(psi[i]) + cuCimag(psi[i]) * cuCimag(psi[i]) : 0.0;
    __syncthreads();
    for (unsigned s = blockDim.x >> 1; s > 0; s >>= 1) {
        if (threadIdx.x < s) sh[threadIdx.x] += sh[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(norm, sh[0]);
}

int main()
{
    const int n = NG * NG * NG;
    cuDoubleComplex *psi; double *trap, *norm;
    cudaMallocManaged(&psi, n * sizeof(cuDoubleComplex));
    cudaMallocManaged(&trap, n * sizeof(double));
    cudaMallocManaged(&norm, sizeof(double));
    for (int z = 0; z < NG; z++) for (int y = 0; y < NG; y++) for (int x = 0; x < NG; x++) {
        double dx = (x - NG / 2) * 0.1, dy = (y - NG / 2) * 0.1, dz = (z - NG / 2) * 0.1;
        trap[CELL(x, y, z)] = 0.5 * (dx * dx + dy * dy + 4 * dz * dz);
        psi[CELL(x, y, z)] = make_cuDoubleComplex(exp(-trap[CELL(x, y, z)]), 0.01 * dx);
    }
    *norm = 0;
    dim3 b(32, 4, 2), g((NG + 31) / 32, (NG + 3) / 4, (NG + 1) / 2);
    potential_step<<<g, b>>>(psi, trap, 120.0, 1e-4);
    norm2<<<(n + 255) / 256, 256, 256 * sizeof(double)>>>(psi, norm, n);
    cudaDeviceSynchronize();
    printf("%.12f\n", *norm);
    return 0;
}
