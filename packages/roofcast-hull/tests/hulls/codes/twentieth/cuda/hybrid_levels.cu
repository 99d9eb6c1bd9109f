// pressure on hybrid levels and column water from a spectral model's output
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int NLEV = 60, NLAT = 256, NLON = 512;
constexpr int NCOL = NLAT * NLON;

__constant__ double c_a[NLEV + 1];
__constant__ double c_b[NLEV + 1];

__global__ void half_level_pressure(const double *ps, double *ph)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int k = blockIdx.y;
    if (j < NCOL)
        ph[(long)k * NCOL + j] = c_a[k] + c_b[k] * ps[j];
}

__global__ void column_water(const double *ph, const double *q, double *tcw)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= NCOL) return;
    double acc = 0.0;
    double top = ph[j];
    for (int k = 0; k < NLEV; ++k) {
        double bot = ph[(long)(k + 1) * NCOL + j];
        acc += q[(long)k * NCOL + j] * (bot - top);
        top = bot;
    }
    tcw[j] = acc / 9.80665;
}

// layer mean temperature corrected for moisture
__global__ void virtual_temp(double *t, const double *q, long n)
{
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        t[i] *= 1.0 + 0.6078 * q[i];
}

int main()
{
    std::vector<double> a(NLEV + 1), b(NLEV + 1), ps(NCOL), q((size_t)NLEV * NCOL), t((size_t)NLEV * NCOL);
    for (int k = 0; k <= NLEV; ++k) { double e = (double)k / NLEV; a[k] = 20000.0 * e * (1 - e); b[k] = e * e; }
    for (int i = 0; i < NCOL; ++i) ps[i] = 100000.0 + i % 977;
    for (size_t i = 0; i < q.size(); ++i) { q[i] = 1e-5 * (i % 311); t[i] = 210.0 + i % 90; }
    double *dps, *dph, *dq, *dt, *dw;
    cudaMalloc(&dps, NCOL * sizeof(double));
    cudaMalloc(&dph, (size_t)(NLEV + 1) * NCOL * sizeof(double));
    cudaMalloc(&dq, q.size() * sizeof(double));
    cudaMalloc(&dt, t.size() * sizeof(double));
    cudaMalloc(&dw, NCOL * sizeof(double));
    cudaMemcpyToSymbol(c_a, a.data(), sizeof(double) * (NLEV + 1));
    cudaMemcpyToSymbol(c_b, b.data(), sizeof(double) * (NLEV + 1));
    cudaMemcpy(dps, ps.data(), NCOL * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dq, q.data(), q.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, t.data(), t.size() * sizeof(double), cudaMemcpyHostToDevice);
    half_level_pressure<<<dim3(NCOL / 128, NLEV + 1), 128>>>(dps, dph);
    column_water<<<NCOL / 128, 128>>>(dph, dq, dw);
    virtual_temp<<<1024, 256>>>(dt, dq, (long)NLEV * NCOL);
    double first;
    cudaMemcpy(&first, dw, sizeof first, cudaMemcpyDeviceToHost);
    printf("%g kg/m2\n", first);
}
