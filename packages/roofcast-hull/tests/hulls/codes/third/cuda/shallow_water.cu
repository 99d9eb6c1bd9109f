// Shallow water, Lax and Friedrichs, one time step of a flat basin with walls of ghost cells.
#include <cstdio>
#include <cuda_runtime.h>

using real = double;

__device__ inline int at(int y, int x, int nx) { return y * nx + x; }

__global__ void lax_friedrichs(const real *__restrict__ h, const real *__restrict__ hu, const real *__restrict__ hv,
                               real *__restrict__ h2, real *__restrict__ hu2, real *__restrict__ hv2, int nx, int ny,
                               real lx, real ly)
{
    const real g = 9.81;
    int x = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    int y = 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (x > nx - 2 || y > ny - 2) return;
    int c = at(y, x, nx), w = at(y, x - 1, nx), e = at(y, x + 1, nx), s = at(y - 1, x, nx), n = at(y + 1, x, nx);
    real fe = hu[e] * hu[e] / h[e] + 0.5 * g * h[e] * h[e];
    real fw = hu[w] * hu[w] / h[w] + 0.5 * g * h[w] * h[w];
    real gn = hv[n] * hv[n] / h[n] + 0.5 * g * h[n] * h[n];
    real gs = hv[s] * hv[s] / h[s] + 0.5 * g * h[s] * h[s];
    real ce = hu[e] * hv[e] / h[e], cw = hu[w] * hv[w] / h[w];
    real cn = hu[n] * hv[n] / h[n], cs = hu[s] * hv[s] / h[s];
    h2[c] = 0.25 * (h[e] + h[w] + h[n] + h[s]) - lx * (hu[e] - hu[w]) - ly * (hv[n] - hv[s]);
    hu2[c] = 0.25 * (hu[e] + hu[w] + hu[n] + hu[s]) - lx * (fe - fw) - ly * (cn - cs);
    hv2[c] = 0.25 * (hv[e] + hv[w] + hv[n] + hv[s]) - lx * (ce - cw) - ly * (gn - gs);
}

int main()
{
    const int nx = 1026, ny = 770;
    real *f[6];
    for (int i = 0; i < 6; i++) cudaMalloc(&f[i], nx * ny * sizeof(real));
    dim3 threads(32, 8), blocks((nx - 2) / 32, (ny - 2) / 8);
    lax_friedrichs<<<blocks, threads>>>(f[0], f[1], f[2], f[3], f[4], f[5], nx, ny, 0.01, 0.01);
    if (cudaDeviceSynchronize() != cudaSuccess) fprintf(stderr, "failed\n");
    for (int i = 0; i < 6; i++) cudaFree(f[i]);
    return 0;
}
