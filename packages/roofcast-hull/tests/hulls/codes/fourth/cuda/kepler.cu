#include <cuda_runtime.h>
#include <cstdio>

// Kepler's equation by Newton's method until it is met
__global__ void eccentric_anomaly(const double* mean, const double* ecc, double* anomaly, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double m = mean[i], e = ecc[i];
    double a = m;
    double step;
    do {
        step = (a - e * sin(a) - m) / (1.0 - e * cos(a));
        a -= step;
    } while (fabs(step) > 1e-12);
    anomaly[i] = a;
}

int main()
{
    const int n = 300000;
    double *mean, *ecc, *anomaly;
    cudaMallocManaged(&mean, n * sizeof(double));
    cudaMallocManaged(&ecc, n * sizeof(double));
    cudaMallocManaged(&anomaly, n * sizeof(double));
    for (int i = 0; i < n; ++i) {
        mean[i] = 6.28 * i / n;
        ecc[i] = 0.9 * (i % 100) / 100;
    }
    eccentric_anomaly<<<(n + 255) / 256, 256>>>(mean, ecc, anomaly, n);
    cudaDeviceSynchronize();
    printf("%f\n", anomaly[n / 2]);
    cudaFree(mean);
    cudaFree(ecc);
    cudaFree(anomaly);
    return 0;
}
