// Longstaff-Schwartz, one exercise date: normal equations of a quadratic over all paths, then the decision.
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

#define PATHS 4000000
#define CHECK(x) if ((x) != cudaSuccess) { fprintf(stderr, "line %d\n", __LINE__); return 1; }

__inline__ __device__ double warp_sum(double v)
{
    for (int m = 16; m; m >>= 1) v += __shfl_xor_sync(0xffffffffu, v, m);
    return v;
}

__global__ void normal_sums(const double *spot, const double *cash, double *sums, int n)
{
    double s1 = 0, s2 = 0, s3 = 0, s4 = 0, y0 = 0, y1 = 0, y2 = 0;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
        double x = spot[p], c = cash[p];
        double xx = x * x;
        s1 += x;
        s2 += xx;
        s3 += xx * x;
        s4 += xx * xx;
        y0 += c;
        y1 += c * x;
        y2 += c * xx;
    }
    double v[7] = {s1, s2, s3, s4, y0, y1, y2};
    for (int k = 0; k < 7; k++) {
        double w = warp_sum(v[k]);
        if ((threadIdx.x & 31) == 0) atomicAdd(&sums[k], w);
    }
}

__global__ void exercise(const double *spot, double *cash, double strike, double df, double b0, double b1, double b2, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    double x = spot[p];
    double now = fmax(strike - x, 0.0);
    double later = b0 + x * (b1 + x * b2);
    cash[p] = now > later ? now : df * cash[p];
}

int main()
{
    double *spot, *cash, *sums;
    CHECK(cudaMallocManaged(&spot, PATHS * sizeof(double)));
    CHECK(cudaMallocManaged(&cash, PATHS * sizeof(double)));
    CHECK(cudaMallocManaged(&sums, 7 * sizeof(double)));
    for (int p = 0; p < PATHS; p++) {
        spot[p] = 0.9 + 0.2 * ((p * 7919LL) % 10007) / 10007.0;
        cash[p] = fmax(1.0 - spot[p] * (1.0 + 0.05 * sin(p)), 0.0);
    }
    for (int k = 0; k < 7; k++) sums[k] = 0;
    normal_sums<<<264, 256>>>(spot, cash, sums, PATHS);
    exercise<<<(PATHS + 255) / 256, 256>>>(spot, cash, 1.0, 0.998, 0.9, -1.3, 0.42, PATHS);
    CHECK(cudaDeviceSynchronize());
    printf("%g %g\n", sums[1], cash[3]);
    return 0;
}
