// Rays against one box.
#include <cuda_runtime.h>

struct Ray {
    float3 origin;
    float3 inverse;  // of the direction
};

__device__ float low(float a, float b, float c) { return fminf(a, fminf(b, c)); }
__device__ float high(float a, float b, float c) { return fmaxf(a, fmaxf(b, c)); }

__global__ void enter_box(const Ray *rays, float *entry, int n, float3 lo, float3 hi)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Ray r = rays[i];
    float ax = (lo.x - r.origin.x) * r.inverse.x, bx = (hi.x - r.origin.x) * r.inverse.x;
    float ay = (lo.y - r.origin.y) * r.inverse.y, by = (hi.y - r.origin.y) * r.inverse.y;
    float az = (lo.z - r.origin.z) * r.inverse.z, bz = (hi.z - r.origin.z) * r.inverse.z;
    float in = high(fminf(ax, bx), fminf(ay, by), fminf(az, bz));
    float out = low(fmaxf(ax, bx), fmaxf(ay, by), fmaxf(az, bz));
    entry[i] = in <= out ? in : 1e30f;
}

int main()
{
    const int n = 1920 * 1080;
    Ray *rays;
    float *entry;
    cudaMalloc(&rays, n * sizeof(Ray));
    cudaMalloc(&entry, n * sizeof(float));
    enter_box<<<(n + 255) / 256, 256>>>(rays, entry, n, make_float3(-1.f, -1.f, -1.f), make_float3(1.f, 1.f, 1.f));
    cudaDeviceSynchronize();
    return 0;
}
