// Volumetric fog of a shader: 48 steps through a procedural density, no textures
#include <cstdio>

#define WIDTH 1280
#define HEIGHT 720
#define STEPS 48

__device__ float fog(float x, float y, float z)
{
    return fmaxf(0.0f, __sinf(x) * __sinf(y) * __cosf(z) - 0.1f);
}

__global__ void march_fog(float *image, float dt, float shift, float sky)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= WIDTH || py >= HEIGHT) return;
    const float dx = (px - WIDTH / 2) * (1.0f / HEIGHT);
    const float dy = (py - HEIGHT / 2) * (1.0f / HEIGHT);
    float t = 0.0f, light = 0.0f, trans = 1.0f;
#pragma unroll 4
    for (int s = 0; s < STEPS; s++) {
        t += dt;
        const float rho = fog(dx * t, dy * t, t + shift);
        light += trans * rho;
        trans *= __expf(-dt * rho);
    }
    image[py * WIDTH + px] = light * dt + trans * sky;
}

int main()
{
    float *img;
    cudaMallocManaged(&img, WIDTH * HEIGHT * sizeof(float));
    dim3 block(16, 16), grid((WIDTH + 15) / 16, (HEIGHT + 15) / 16);
    march_fog<<<grid, block>>>(img, 0.15f, 0.7f, 0.2f);
    cudaDeviceSynchronize();
    printf("%f\n", img[WIDTH * 300 + 200]);
    return 0;
}
