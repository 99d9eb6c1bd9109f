// Energy of harmonic bonds of a molecule.
#include <cuda_runtime.h>

__global__ void bond_energy(const int2 *pairs, const double *length, const double *stiffness, const double *x, const double *y,
                            const double *z, double *energy, int bonds)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bonds) {
        int i = pairs[b].x, j = pairs[b].y;
        double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
        double d = sqrt(dx * dx + dy * dy + dz * dz) - length[b];
        energy[b] = stiffness[b] * d * d;
    }
}

int main()
{
    const int bonds = 60000, atoms = 64000;
    int2 *pairs;
    double *l, *k, *x, *y, *z, *e;
    cudaMalloc(&pairs, bonds * sizeof(int2));
    cudaMalloc(&l, bonds * sizeof(double));
    cudaMalloc(&k, bonds * sizeof(double));
    cudaMalloc(&x, atoms * sizeof(double));
    cudaMalloc(&y, atoms * sizeof(double));
    cudaMalloc(&z, atoms * sizeof(double));
    cudaMalloc(&e, bonds * sizeof(double));
    bond_energy<<<(bonds + 255) / 256, 256>>>(pairs, l, k, x, y, z, e, bonds);
    cudaDeviceSynchronize();
    return 0;
}
