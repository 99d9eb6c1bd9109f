// Molecular-dynamics kick of hybrid Monte Carlo for the scalar phi^4 theory on a periodic four-dimensional lattice (HIP).
#include "hip/hip_runtime.h"
#include <cstdio>
#include <cstdlib>

template <int LT, int LZ, int LY, int LX>
struct Lattice {
    static constexpr int volume = LT * LZ * LY * LX;
    __host__ __device__ static constexpr int site(int t, int z, int y, int x)
    {
        return ((t * LZ + z) * LY + y) * LX + x;
    }
};

template <int LT, int LZ, int LY, int LX>
__global__ void momentum_kick(const double *phi, double *pi, double kappa, double lambda6, double dt)
{
    using L = Lattice<LT, LZ, LY, LX>;
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= L::volume) return;
    const int x = id % LX;
    const int y = (id / LX) % LY;
    const int z = (id / (LX * LY)) % LZ;
    const int t = id / (LX * LY * LZ);

    const double nb = phi[L::site(t, z, y, (x + 1) % LX)] + phi[L::site(t, z, y, (x + LX - 1) % LX)]
                    + phi[L::site(t, z, (y + 1) % LY, x)] + phi[L::site(t, z, (y + LY - 1) % LY, x)]
                    + phi[L::site(t, (z + 1) % LZ, y, x)] + phi[L::site(t, (z + LZ - 1) % LZ, y, x)]
                    + phi[L::site((t + 1) % LT, z, y, x)] + phi[L::site((t + LT - 1) % LT, z, y, x)];
    const double p = phi[id];
    const double force = nb - kappa * p - lambda6 * p * p * p;
    pi[id] += dt * force;
}

int main(int argc, char **argv)
{
    const int kicks = (argc > 1) ? std::atoi(argv[1]) : 20;
    constexpr int T = 48, S = 24;
    constexpr int V = Lattice<T, S, S, S>::volume;
    const double m2 = -1.2, lambda = 2.4;

    double *h = new double[V];
    for (int i = 0; i < V; ++i) h[i] = std::rand() / (double)RAND_MAX - 0.5;
    double *phi, *pi;
    hipMalloc((void **)&phi, V * sizeof(double));
    hipMalloc((void **)&pi, V * sizeof(double));
    hipMemcpy(phi, h, V * sizeof(double), hipMemcpyHostToDevice);
    hipMemset(pi, 0, V * sizeof(double));

    for (int k = 0; k < kicks; ++k)
        momentum_kick<T, S, S, S><<<(V + 255) / 256, 256>>>(phi, pi, 8.0 + m2, lambda / 6.0, 0.01);
    hipDeviceSynchronize();

    hipMemcpy(h, pi, V * sizeof(double), hipMemcpyDeviceToHost);
    std::printf("pi[0] = %.12f\n", h[0]);
    delete[] h;
    hipFree(phi);
    hipFree(pi);
    return 0;
}
