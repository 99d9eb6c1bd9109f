// Compressibility from the Peng-Robinson cubic (Newton until it settles), and fugacity coefficients from it.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

constexpr int N = 500000;

struct Mixture { double a, b; };

__global__ void compressibility(const Mixture *mix, double *z_out, double tol)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    const double A = mix[i].a, B = mix[i].b;
    const double c2 = B - 1.0, c1 = A - 3.0 * B * B - 2.0 * B, c0 = B * B * B + B * B - A * B;
    double z = 1.0, dz;
    do {
        double f = ((z + c2) * z + c1) * z + c0;
        double g = (3.0 * z + 2.0 * c2) * z + c1;
        dz = f / g;
        z -= dz;
    } while (fabs(dz) > tol);
    z_out[i] = z;
}

__global__ void fugacity(const Mixture *mix, const double *z_in, double *phi)
{
    const double r2 = 1.4142135623730951;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        const Mixture m = mix[i];
        const double z = z_in[i];
        const double ratio = (z + (1.0 + r2) * m.b) / (z + (1.0 - r2) * m.b);
        phi[i] = exp(z - 1.0 - log(z - m.b) - m.a / (2.0 * r2 * m.b) * log(ratio));
    }
}

int main()
{
    std::vector<Mixture> m(N);
    for (int i = 0; i < N; ++i) m[i] = {0.05 + 1e-7 * (i % 100000), 0.02 + 1e-8 * (i % 70000)};
    Mixture *dm;
    double *z, *phi, p;
    cudaMalloc(&dm, N * sizeof(Mixture));
    cudaMalloc(&z, N * sizeof(double));
    cudaMalloc(&phi, N * sizeof(double));
    cudaMemcpy(dm, m.data(), N * sizeof(Mixture), cudaMemcpyHostToDevice);
    compressibility<<<(N + 255) / 256, 256>>>(dm, z, 1e-12);
    fugacity<<<528, 256>>>(dm, z, phi);
    cudaMemcpy(&p, phi, sizeof p, cudaMemcpyDeviceToHost);
    printf("%.10f\n", p);
}
