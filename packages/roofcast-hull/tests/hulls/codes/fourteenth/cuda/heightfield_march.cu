// First hit of camera rays with a height field, by stepping until the ray is below the ground.
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

const int MAP = 1024, WIDTH = 640, HEIGHT = 480;

__global__ void march(const float *ground, float *depth, float3 eye, float step, float far_away)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= WIDTH || py >= HEIGHT) return;
    float dx = (px - WIDTH * 0.5f) / WIDTH;
    float dz = -0.1f - (float)py / HEIGHT;
    float inv = rsqrtf(dx * dx + 1.0f + dz * dz);
    float t = 0.0f;
    while (t < far_away) {
        float x = eye.x + t * dx * inv;
        float y = eye.y + t * inv;
        float z = eye.z + t * dz * inv;
        int ix = (int)x & (MAP - 1), iy = (int)y & (MAP - 1);
        float h = ground[iy * MAP + ix];
        if (z < h) break;
        t += fmaxf(step, 0.4f * (z - h));
    }
    depth[py * WIDTH + px] = t;
}

int main()
{
    std::vector<float> g(MAP * MAP);
    for (int y = 0; y < MAP; y++)
        for (int x = 0; x < MAP; x++) g[y * MAP + x] = 20.f * std::sin(x * 0.02f) * std::cos(y * 0.03f);
    float *dg, *dd;
    cudaMalloc(&dg, g.size() * sizeof(float));
    cudaMalloc(&dd, WIDTH * HEIGHT * sizeof(float));
    cudaMemcpy(dg, g.data(), g.size() * sizeof(float), cudaMemcpyHostToDevice);
    march<<<dim3(WIDTH / 16, HEIGHT / 16), dim3(16, 16)>>>(dg, dd, make_float3(512, 10, 60), 0.25f, 900.f);
    float d;
    cudaMemcpy(&d, dd + WIDTH * HEIGHT / 2, sizeof d, cudaMemcpyDeviceToHost);
    printf("%f\n", d);
}
