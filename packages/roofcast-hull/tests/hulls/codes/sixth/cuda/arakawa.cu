// Energy- and enstrophy-conserving Jacobian J(zeta, psi) of Arakawa (1966) for two-dimensional vorticity dynamics, doubly periodic.
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

const int NX = 600;
const int NY = 480;

struct Grid {
    int nx, ny;
    double inv12h2;
    __device__ int at(int j, int i) const
    {
        j = j < 0 ? j + ny : (j >= ny ? j - ny : j);
        i = i < 0 ? i + nx : (i >= nx ? i - nx : i);
        return j * nx + i;
    }
};

__global__ void arakawaJacobian(const double *zeta, const double *psi, double *jac, Grid g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= g.nx || j >= g.ny) return;

    int e = g.at(j, i + 1), w = g.at(j, i - 1), n = g.at(j + 1, i), s = g.at(j - 1, i);
    int ne = g.at(j + 1, i + 1), nw = g.at(j + 1, i - 1), se = g.at(j - 1, i + 1), sw = g.at(j - 1, i - 1);

    double jpp = (zeta[e] - zeta[w]) * (psi[n] - psi[s]) - (zeta[n] - zeta[s]) * (psi[e] - psi[w]);
    double jpx = zeta[e] * (psi[ne] - psi[se]) - zeta[w] * (psi[nw] - psi[sw])
               - zeta[n] * (psi[ne] - psi[nw]) + zeta[s] * (psi[se] - psi[sw]);
    double jxp = zeta[ne] * (psi[n] - psi[e]) - zeta[sw] * (psi[w] - psi[s])
               - zeta[nw] * (psi[n] - psi[w]) + zeta[se] * (psi[e] - psi[s]);
    jac[g.at(j, i)] = (jpp + jpx + jxp) * g.inv12h2;
}

int main()
{
    const double h = 2.0 * M_PI / NX;
    Grid g = {NX, NY, 1.0 / (12.0 * h * h)};
    double *zeta, *psi, *jac;
    cudaMallocManaged(&zeta, sizeof(double) * NX * NY);
    cudaMallocManaged(&psi, sizeof(double) * NX * NY);
    cudaMallocManaged(&jac, sizeof(double) * NX * NY);
    for (int j = 0; j < NY; ++j)
        for (int i = 0; i < NX; ++i) {
            psi[j * NX + i] = sin(3 * h * i) * cos(2 * M_PI * j / NY);
            zeta[j * NX + i] = cos(h * i) + sin(4 * M_PI * j / NY);
        }
    dim3 block(64, 4);
    dim3 grid((NX + 63) / 64, (NY + 3) / 4);
    arakawaJacobian<<<grid, block>>>(zeta, psi, jac, g);
    cudaDeviceSynchronize();
    double total = 0, energy = 0;
    for (int k = 0; k < NX * NY; ++k) {
        total += jac[k];
        energy += psi[k] * jac[k];
    }
    printf("sum J = %g, sum psi J = %g (both should vanish)\n", total, energy);
    cudaFree(zeta);
    cudaFree(psi);
    cudaFree(jac);
    return 0;
}
