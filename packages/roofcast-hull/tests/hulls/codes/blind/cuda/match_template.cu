#include <cuda_runtime.h>

// squared differences of a 16x16 template at every place where it fits
__global__ void ssd(const unsigned char *image, const unsigned char *templ, int *score, int w, int h)
{
    __shared__ unsigned char t[16][16];
    t[threadIdx.y][threadIdx.x] = templ[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    int ow = w - 15, oh = h - 15;
    if (x >= ow || y >= oh) return;
    int s = 0;
    for (int j = 0; j < 16; j++)
        for (int i = 0; i < 16; i++) {
            int d = image[(y + j) * w + x + i] - t[j][i];
            s += d * d;
        }
    score[y * ow + x] = s;
}

int main()
{
    const int w = 1024, h = 768;
    unsigned char *image, *templ;
    int *score;
    cudaMalloc(&image, w * h);
    cudaMalloc(&templ, 256);
    cudaMalloc(&score, sizeof(int) * (w - 15) * (h - 15));
    ssd<<<dim3((w - 15 + 15) / 16, (h - 15 + 15) / 16), dim3(16, 16)>>>(image, templ, score, w, h);
    cudaDeviceSynchronize();
}
