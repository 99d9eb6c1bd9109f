#include <cuda_runtime.h>
#include <stdint.h>

#define W 2048
#define H 1536
#define PIX(dx, dy) ((int)in[(y + (dy)) * W + x + (dx)])

__global__ void sobel(const uint8_t *in, uint8_t *out)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x > 0 && y > 0 && x < W - 1 && y < H - 1) {
        int gx = PIX(1, -1) + 2 * PIX(1, 0) + PIX(1, 1) - (PIX(-1, -1) + 2 * PIX(-1, 0) + PIX(-1, 1));
        int gy = PIX(-1, 1) + 2 * PIX(0, 1) + PIX(1, 1) - (PIX(-1, -1) + 2 * PIX(0, -1) + PIX(1, -1));
        int m = abs(gx) + abs(gy);
        out[y * W + x] = m > 255 ? 255 : m;
    }
}

int main()
{
    uint8_t *d_in, *d_out;
    cudaMalloc(&d_in, W * H);
    cudaMalloc(&d_out, W * H);
    cudaMemset(d_out, 0, W * H);
    sobel<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(d_in, d_out);
    cudaDeviceSynchronize();
    return 0;
}
