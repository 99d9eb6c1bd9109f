// Implied-volatility surface from the SABR expansion of Hagan et al., one slice of parameters per expiry.
// usage: ./sabr_smile
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t err_ = (call);                                               \
        if (err_ != cudaSuccess) {                                               \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
            return 1;                                                            \
        }                                                                        \
    } while (0)

constexpr int kExpiries = 40;
constexpr int kStrikes = 2500;
constexpr double kBeta = 0.5;
constexpr double kHalf = 0.5 * (1.0 - kBeta);
constexpr double kC1 = (1.0 - kBeta) * (1.0 - kBeta) / 24.0;
constexpr double kC2 = (1.0 - kBeta) * (1.0 - kBeta) * (1.0 - kBeta) * (1.0 - kBeta) / 1920.0;

struct Slice {
    double forward, alpha, rho, nu, expiry;
};

__device__ double haganVol(const Slice &s, double strike)
{
    const double p = pow(s.forward * strike, kHalf);
    const double lg = log(s.forward / strike);
    const double z = s.nu / s.alpha * p * lg;
    const double x = log((sqrt(1.0 - 2.0 * s.rho * z + z * z) + z - s.rho) / (1.0 - s.rho));
    const double ratio = fabs(z) > 1e-7 ? z / x : 1.0;
    const double l2 = lg * lg;
    const double denominator = p * (1.0 + kC1 * l2 + kC2 * l2 * l2);
    const double correction = 1.0 + s.expiry * (kC1 * s.alpha * s.alpha / (p * p)
                                                + 0.25 * s.rho * kBeta * s.nu * s.alpha / p
                                                + (2.0 - 3.0 * s.rho * s.rho) * s.nu * s.nu / 24.0);
    return s.alpha / denominator * ratio * correction;
}

__global__ void smileKernel(const Slice *__restrict__ slices, const double *__restrict__ strikes,
                            double *__restrict__ vols, int nStrikes)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const int e = blockIdx.y;
    if (k >= nStrikes) return;
    vols[e * nStrikes + k] = haganVol(slices[e], strikes[k]);
}

int main()
{
    std::vector<Slice> slices(kExpiries);
    for (int e = 0; e < kExpiries; ++e)
        slices[e] = {100.0 + 0.3 * e, 1.9 - 0.01 * e, -0.35 + 0.002 * e, 0.6 - 0.005 * e, 0.25 * (e + 1)};
    std::vector<double> strikes(kStrikes);
    for (int k = 0; k < kStrikes; ++k) strikes[k] = 40.0 + 0.05 * k;

    Slice *dSlices;
    double *dStrikes, *dVols;
    CHECK(cudaMalloc(&dSlices, sizeof(Slice) * kExpiries));
    CHECK(cudaMalloc(&dStrikes, sizeof(double) * kStrikes));
    CHECK(cudaMalloc(&dVols, sizeof(double) * kExpiries * kStrikes));
    CHECK(cudaMemcpy(dSlices, slices.data(), sizeof(Slice) * kExpiries, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dStrikes, strikes.data(), sizeof(double) * kStrikes, cudaMemcpyHostToDevice));

    const dim3 block(128);
    const dim3 grid((kStrikes + block.x - 1) / block.x, kExpiries);
    smileKernel<<<grid, block>>>(dSlices, dStrikes, dVols, kStrikes);
    CHECK(cudaGetLastError());

    std::vector<double> vols(kExpiries * kStrikes);
    CHECK(cudaMemcpy(vols.data(), dVols, sizeof(double) * vols.size(), cudaMemcpyDeviceToHost));
    printf("vol(first expiry, K=100) = %.6f\n", vols[1200]);
    cudaFree(dSlices);
    cudaFree(dStrikes);
    cudaFree(dVols);
    return 0;
}
