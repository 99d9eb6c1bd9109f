// Conservative coarsening of sea surface temperature (4x4 cells, land masked), then zonal anomalies
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

template <int NLAT, int NLON> struct Grid {
    static constexpr int nlat = NLAT, nlon = NLON;
    __host__ __device__ static int at(int j, int i) { return j * NLON + i; }
};
using Fine = Grid<1024, 2048>;
using Coarse = Grid<256, 512>;

__global__ void coarsen(const float *sst, const unsigned char *wet, const float *area, float *out)
{
    int I = blockIdx.x * blockDim.x + threadIdx.x, J = blockIdx.y * blockDim.y + threadIdx.y;
    if (I >= Coarse::nlon || J >= Coarse::nlat) return;
    float num = 0.f, den = 0.f;
    for (int j = 4 * J; j < 4 * J + 4; ++j)
        for (int i = 4 * I; i < 4 * I + 4; ++i) {
            float w = wet[Fine::at(j, i)] * area[j];
            num += w * sst[Fine::at(j, i)];
            den += w;
        }
    out[Coarse::at(J, I)] = num / fmaxf(den, 1e-6f);
}

__global__ void zonal_anomaly(float *field)
{
    __shared__ float part[Coarse::nlon / 4];
    float *row = field + Coarse::at(blockIdx.x, 0);
    float s = 0.f;
    for (int i = threadIdx.x; i < Coarse::nlon; i += blockDim.x) s += row[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int k = blockDim.x >> 1; k; k >>= 1) {
        if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    float mean = part[0] / Coarse::nlon;
    for (int i = threadIdx.x; i < Coarse::nlon; i += blockDim.x) row[i] -= mean;
}

int main()
{
    float *sst, *area, *out;
    unsigned char *wet;
    cudaMallocManaged(&sst, sizeof(float) * Fine::nlat * Fine::nlon);
    cudaMallocManaged(&wet, Fine::nlat * Fine::nlon);
    cudaMallocManaged(&area, sizeof(float) * Fine::nlat);
    cudaMallocManaged(&out, sizeof(float) * Coarse::nlat * Coarse::nlon);
    for (int j = 0; j < Fine::nlat; j++) {
        float lat = (j + 0.5f) / Fine::nlat * 3.14159265f - 1.5707963f;
        area[j] = cosf(lat);
        for (int i = 0; i < Fine::nlon; i++) {
            sst[Fine::at(j, i)] = 28.f * cosf(lat) + sinf(i * 0.01f);
            wet[Fine::at(j, i)] = (i / 300 + j / 200) % 3 != 0;
        }
    }
    coarsen<<<dim3(Coarse::nlon / 32, Coarse::nlat / 8), dim3(32, 8)>>>(sst, wet, area, out);
    zonal_anomaly<<<Coarse::nlat, Coarse::nlon / 4>>>(out);
    cudaDeviceSynchronize();
    printf("%f %f\n", out[0], out[Coarse::at(100, 17)]);
}
