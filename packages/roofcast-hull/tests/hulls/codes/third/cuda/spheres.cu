#include <cuda_runtime.h>
#include <math.h>

#define SPHERES 48
__constant__ float4 ball[SPHERES];

// distance along each ray to the first of the spheres
__global__ void first_hit(const float *ox, const float *oy, const float *oz, const float *dx, const float *dy, const float *dz,
                          float *t_out, int rays)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rays) return;
    float best = 1e20f;
    for (int k = 0; k < SPHERES; ++k) {
        float4 s = ball[k];
        float px = ox[i] - s.x, py = oy[i] - s.y, pz = oz[i] - s.z;
        float b = px * dx[i] + py * dy[i] + pz * dz[i];
        float c = px * px + py * py + pz * pz - s.w * s.w;
        float disc = b * b - c;
        float t = -b - sqrtf(fmaxf(disc, 0.0f));
        if (disc > 0.0f && t > 1e-3f && t < best) best = t;
    }
    t_out[i] = best;
}

int main()
{
    const int rays = 262144;
    float *r[6], *t;
    for (int k = 0; k < 6; ++k) cudaMalloc(&r[k], rays * 4);
    cudaMalloc(&t, rays * sizeof(float));
    float4 host[SPHERES] = {};
    cudaMemcpyToSymbol(ball, host, sizeof(host));
    first_hit<<<rays / 128, 128>>>(r[0], r[1], r[2], r[3], r[4], r[5], t, rays);
    cudaDeviceSynchronize();
    return 0;
}
