// One-dimensional gas dynamics: finite volumes with Rusanov's flux.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

#define GAMMA 1.4

struct State { double rho, mom, ene; };

__device__ State physical_flux(const State& s, double& speed)
{
    const double vel = s.mom / s.rho;
    const double p = (GAMMA - 1.0) * (s.ene - 0.5 * s.mom * vel);
    speed = fabs(vel) + sqrt(GAMMA * p / s.rho);
    State f;
    f.rho = s.mom;
    f.mom = s.mom * vel + p;
    f.ene = (s.ene + p) * vel;
    return f;
}

__device__ State face_flux(const State& l, const State& r)
{
    double sl, sr;
    const State fl = physical_flux(l, sl);
    const State fr = physical_flux(r, sr);
    const double a = fmax(sl, sr);
    State f;
    f.rho = 0.5 * (fl.rho + fr.rho - a * (r.rho - l.rho));
    f.mom = 0.5 * (fl.mom + fr.mom - a * (r.mom - l.mom));
    f.ene = 0.5 * (fl.ene + fr.ene - a * (r.ene - l.ene));
    return f;
}

__global__ void euler_rusanov(const double* rho, const double* mom, const double* ene,
                              double* rho2, double* mom2, double* ene2, double dtdx, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1) return;
    const State l{rho[i - 1], mom[i - 1], ene[i - 1]};
    const State c{rho[i], mom[i], ene[i]};
    const State r{rho[i + 1], mom[i + 1], ene[i + 1]};
    const State fw = face_flux(l, c);
    const State fe = face_flux(c, r);
    rho2[i] = c.rho - dtdx * (fe.rho - fw.rho);
    mom2[i] = c.mom - dtdx * (fe.mom - fw.mom);
    ene2[i] = c.ene - dtdx * (fe.ene - fw.ene);
}

int main()
{
    const int n = 750002;
    std::vector<double> init(n, 1.0);
    double* d[6];
    for (int k = 0; k < 6; ++k) {
        cudaMalloc((void**)&d[k], n * sizeof(double));
        cudaMemcpy(d[k], init.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    }
    const int block = 192;
    const int grid = (n + block - 1) / block;
    euler_rusanov<<<grid, block>>>(d[0], d[1], d[2], d[3], d[4], d[5], 0.2, n);
    cudaMemcpy(init.data(), d[3], n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%g\n", init[n / 2]);
    for (int k = 0; k < 6; ++k) cudaFree(d[k]);
    return 0;
}
