#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define BEAMS 128
#define AZ 2048

struct Point { float x, y, z, i; };

// ticks of 4 mm to metres, spherical to cartesian with calibrated beams
__global__ void to_cartesian(const unsigned int *ticks, const unsigned char *refl, const float2 *beam, const float2 *az, Point *pts)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y * blockDim.y + threadIdx.y;
    float r = ticks[b * AZ + a] * 0.004f;
    float2 e = beam[b];      // cos, sin of elevation
    float2 h = az[a];
    Point p;
    float flat = r * e.x;
    p.x = flat * h.x;
    p.y = flat * h.y;
    p.z = r * e.y;
    p.i = refl[b * AZ + a] / 255.0f;
    pts[b * AZ + a] = p;
}

__global__ void ground_gap(const Point *pts, unsigned char *ground, float slope)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y * blockDim.y + threadIdx.y;
    if (b >= BEAMS - 1) return;
    Point lo = pts[b * AZ + a], hi = pts[(b + 1) * AZ + a];
    float dx = hi.x - lo.x, dy = hi.y - lo.y, dz = hi.z - lo.z;
    ground[b * AZ + a] = dz * dz < slope * (dx * dx + dy * dy);
}

int main()
{
    unsigned int *ticks; unsigned char *refl, *ground; float2 *beam, *az; Point *pts;
    cudaMallocManaged(&ticks, BEAMS * AZ * sizeof(unsigned int));
    cudaMallocManaged(&refl, BEAMS * AZ);
    cudaMallocManaged(&ground, BEAMS * AZ);
    cudaMallocManaged(&beam, BEAMS * sizeof(float2));
    cudaMallocManaged(&az, AZ * sizeof(float2));
    cudaMallocManaged(&pts, BEAMS * AZ * sizeof(Point));
    for (int i = 0; i < BEAMS * AZ; i++) { ticks[i] = 500 + rand() % 20000; refl[i] = rand() % 256; }
    for (int b = 0; b < BEAMS; b++) { float e = (b - 96) * 0.0035f; beam[b] = make_float2(cosf(e), sinf(e)); }
    for (int a = 0; a < AZ; a++) { float h = a * 6.2831853f / AZ; az[a] = make_float2(cosf(h), sinf(h)); }
    dim3 blk(64, 4), grd(AZ / blk.x, BEAMS / blk.y);
    to_cartesian<<<grd, blk>>>(ticks, refl, beam, az, pts);
    ground_gap<<<grd, blk>>>(pts, ground, 0.04f);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("%d\n", ground[100]);
    return 0;
}
