#include <hip/hip_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

namespace chem {
constexpr int kCells = 120000;
constexpr int kReac = 24;
constexpr int kSpec = 9;
struct Rate { double logA, beta, Ea; };
}
using namespace chem;

template <int BLOCK>
__global__ __launch_bounds__(BLOCK) void forward_rates(const Rate* rate, const double* T, double* kf)
{
    const int cell = blockIdx.x * BLOCK + threadIdx.x;
    if (cell >= kCells) return;
    const double temp = T[cell];
    const double lt = log(temp), inv = 1.0 / (8.314 * temp);
    for (int r = 0; r < kReac; ++r)
        kf[r * kCells + cell] = exp(rate[r].logA + rate[r].beta * lt - rate[r].Ea * inv);
}

// stoichiometric matrix times rates of progress
__global__ void production(const double* kf, const float* nu, double* wdot)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    const int s = blockIdx.y;
    if (cell < kCells) {
        double w = 0.0;
        for (int r = 0; r < kReac; ++r)
            w += nu[s * kReac + r] * kf[r * kCells + cell];
        wdot[s * kCells + cell] = w;
    }
}

int main()
{
    std::vector<Rate> rate(kReac);
    std::vector<double> T(kCells);
    std::vector<float> nu(kSpec * kReac);
    for (int r = 0; r < kReac; ++r) rate[r] = { 12.0 + r * 0.3, -0.5 + 0.1 * r, 20000.0 + 3000.0 * r };
    for (int c = 0; c < kCells; ++c) T[c] = 300.0 + (c % 1900);
    for (size_t i = 0; i < nu.size(); ++i) nu[i] = (float)((int)(i * 7 % 5) - 2);
    Rate* dr; double *dT, *dk, *dw; float* dn;
    (void)hipMalloc(&dr, sizeof(Rate) * kReac);
    (void)hipMalloc(&dT, sizeof(double) * kCells);
    (void)hipMalloc(&dk, sizeof(double) * kCells * kReac);
    (void)hipMalloc(&dw, sizeof(double) * kCells * kSpec);
    (void)hipMalloc(&dn, sizeof(float) * nu.size());
    (void)hipMemcpy(dr, rate.data(), sizeof(Rate) * kReac, hipMemcpyHostToDevice);
    (void)hipMemcpy(dT, T.data(), sizeof(double) * kCells, hipMemcpyHostToDevice);
    (void)hipMemcpy(dn, nu.data(), sizeof(float) * nu.size(), hipMemcpyHostToDevice);
    forward_rates<128><<<(kCells + 127) / 128, 128>>>(dr, dT, dk);
    production<<<dim3((kCells + 255) / 256, kSpec), 256>>>(dk, dn, dw);
    double w0;
    (void)hipMemcpy(&w0, dw, sizeof w0, hipMemcpyDeviceToHost);
    printf("%g\n", w0);
}
