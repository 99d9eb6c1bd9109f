// Distances on the globe.
#include <cuda_runtime.h>
#include <vector>

__device__ __constant__ double kRadius = 6371.0;
#define RADIANS 0.017453292519943295

__device__ double great_circle(double lat1, double lon1, double lat2, double lon2)
{
    double phi1 = lat1 * RADIANS;
    double phi2 = lat2 * RADIANS;
    double dphi = phi2 - phi1;
    double dlambda = (lon2 - lon1) * RADIANS;
    double s1 = sin(dphi * 0.5);
    double s2 = sin(dlambda * 0.5);
    double a = s1 * s1 + cos(phi1) * cos(phi2) * s2 * s2;
    return 6371.0 * (2.0 * asin(fmin(1.0, sqrt(a))));
}

__global__ void haversine(const double *lat1, const double *lon1, const double *lat2, const double *lon2, double *d, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    d[i] = great_circle(lat1[i], lon1[i], lat2[i], lon2[i]);
}

int main()
{
    const int n = 1000000;
    double *buffers[5];
    for (int k = 0; k < 5; k++) cudaMalloc(&buffers[k], n * sizeof(double));
    haversine<<<(n + 255) / 256, 256>>>(buffers[0], buffers[1], buffers[2], buffers[3], buffers[4], n);
    cudaDeviceSynchronize();
    for (int k = 0; k < 5; k++) cudaFree(buffers[k]);
    return 0;
}
