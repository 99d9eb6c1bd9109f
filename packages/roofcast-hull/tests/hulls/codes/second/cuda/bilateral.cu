// Smoothing that keeps edges.
#include <cuda_runtime.h>
#include <cmath>

#define RADIUS 4
#define DIAMETER (2 * RADIUS + 1)
#define WIDTH 640
#define HEIGHT 480

__constant__ float spatial[DIAMETER * DIAMETER];

__global__ void bilateral(const float *__restrict__ image, float *__restrict__ out, float inv2)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= WIDTH || y >= HEIGHT) return;
    float centre = image[y * WIDTH + x];
    float sum = 0.0f, norm = 0.0f;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            int yy = min(max(y + dy, 0), HEIGHT - 1);
            int xx = min(max(x + dx, 0), WIDTH - 1);
            float v = image[yy * WIDTH + xx];
            float d = v - centre;
            float w = spatial[(dy + RADIUS) * DIAMETER + dx + RADIUS] * __expf(d * d * inv2);
            sum += w * v;
            norm += w;
        }
    out[y * WIDTH + x] = sum / norm;
}

int main()
{
    float table[DIAMETER * DIAMETER];
    for (int i = 0; i < DIAMETER; i++)
        for (int j = 0; j < DIAMETER; j++)
            table[i * DIAMETER + j] = expf(-((i - RADIUS) * (i - RADIUS) + (j - RADIUS) * (j - RADIUS)) / 18.0f);
    cudaMemcpyToSymbol(spatial, table, sizeof(table));
    float *in, *out;
    cudaMalloc(&in, WIDTH * HEIGHT * sizeof(float));
    cudaMalloc(&out, WIDTH * HEIGHT * sizeof(float));
    dim3 block(16, 16);
    dim3 grid((WIDTH + block.x - 1) / block.x, (HEIGHT + block.y - 1) / block.y);
    bilateral<<<grid, block>>>(in, out, -0.02f);
    cudaDeviceSynchronize();
    return 0;
}
