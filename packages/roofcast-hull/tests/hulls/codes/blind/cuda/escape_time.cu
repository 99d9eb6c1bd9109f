#include <cuda_runtime.h>

__global__ void julia(unsigned char *img, int w, int h, float cr, float ci)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float zr = 1.5f * (px - w / 2) / (0.5f * w);
    float zi = (py - h / 2) / (0.5f * h);
    int it = 0;
    while (zr * zr + zi * zi < 4.0f && it < 255) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        it++;
    }
    img[py * w + px] = (unsigned char)it;
}

__global__ void collatz(const unsigned *start, unsigned *steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v = start[i];
    unsigned s = 0;
    while (v != 1) {
        v = (v & 1) ? 3 * v + 1 : v / 2;
        s++;
    }
    steps[i] = s;
}

int main()
{
    unsigned char *img;
    cudaMalloc(&img, 1024 * 768);
    julia<<<dim3(64, 48), dim3(16, 16)>>>(img, 1024, 768, -0.7f, 0.27015f);
    unsigned *start, *steps;
    const int n = 1000000;
    cudaMalloc(&start, n * sizeof(unsigned));
    cudaMalloc(&steps, n * sizeof(unsigned));
    collatz<<<(n + 255) / 256, 256>>>(start, steps, n);
    cudaDeviceSynchronize();
}
