// Sphere tracing of a torus and a ground plane. A ray marches until it is near enough or too far:
// the number of steps depends on the computed distances, so there is no fixed amount of work.
#include <cstdio>
#include <cuda_runtime.h>

#define W 800
#define H 600

__device__ float sdTorus(float3 p, float R, float r)
{
    float q = sqrtf(p.x * p.x + p.z * p.z) - R;
    return sqrtf(q * q + p.y * p.y) - r;
}

__device__ float scene(float3 p) { return fminf(sdTorus(p, 1.0f, 0.35f), p.y + 0.6f); }

__global__ void render(float *depth)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= W || py >= H) return;
    float dx = (px - W / 2) / (float)H, dy = (H / 2 - py) / (float)H, dz = 1.2f;
    float inv = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= inv; dy *= inv; dz *= inv;

    float t = 0.0f;
    while (true) {
        float3 p = make_float3(t * dx, 1.0f + t * dy, -4.0f + t * dz);
        float d = scene(p);
        if (d < 1e-4f * (1.0f + t) || t > 100.0f) break;
        t += d;
    }
    depth[py * W + px] = t;
}

int main()
{
    float *d;
    cudaMallocManaged(&d, W * H * sizeof(float));
    render<<<dim3(W / 16, (H + 15) / 16), dim3(16, 16)>>>(d);
    cudaDeviceSynchronize();
    printf("centre depth %f\n", d[(H / 2) * W + W / 2]);
    cudaFree(d);
    return 0;
}
