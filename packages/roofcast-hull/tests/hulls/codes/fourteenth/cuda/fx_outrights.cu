// Outright forwards and forward points for a book of FX trades.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int kTrades = 3000000;

__global__ void outright(const double *__restrict__ spot, const double *__restrict__ r_dom,
                         const double *__restrict__ r_for, const float *__restrict__ tenor,
                         double *__restrict__ fwd, double *__restrict__ points, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const double s = spot[i];
        const double f = s * exp((r_dom[i] - r_for[i]) * tenor[i]);
        fwd[i] = f;
        points[i] = (f - s) * 1e4;
    }
}

int main()
{
    std::vector<double> spot(kTrades), rd(kTrades), rf(kTrades);
    std::vector<float> tenor(kTrades);
    for (int i = 0; i < kTrades; ++i) {
        spot[i] = 1.0 + 0.001 * (i % 500);
        rd[i] = 0.01 + 0.0001 * (i % 300);
        rf[i] = 0.02 + 0.0001 * (i % 200);
        tenor[i] = 0.25f * (1 + i % 40);
    }
    double *d_spot, *d_rd, *d_rf, *d_fwd, *d_pts;
    float *d_ten;
    cudaMalloc(&d_spot, kTrades * sizeof(double));
    cudaMalloc(&d_rd, kTrades * sizeof(double));
    cudaMalloc(&d_rf, kTrades * sizeof(double));
    cudaMalloc(&d_fwd, kTrades * sizeof(double));
    cudaMalloc(&d_pts, kTrades * sizeof(double));
    cudaMalloc(&d_ten, kTrades * sizeof(float));
    cudaMemcpy(d_spot, spot.data(), kTrades * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_rd, rd.data(), kTrades * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_rf, rf.data(), kTrades * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_ten, tenor.data(), kTrades * sizeof(float), cudaMemcpyHostToDevice);
    outright<<<1056, 256>>>(d_spot, d_rd, d_rf, d_ten, d_fwd, d_pts, kTrades);
    double first;
    cudaMemcpy(&first, d_fwd, sizeof first, cudaMemcpyDeviceToHost);
    printf("forward of the first trade %.6f\n", first);
    return 0;
}
