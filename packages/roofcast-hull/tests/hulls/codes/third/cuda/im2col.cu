#include <cuda_runtime.h>

// rows: channel and tap; columns: place. Border of zeros.
__global__ void im2col(const float* image, float* cols, int channels, int height, int width)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= channels * height * width) return;
    int x = index % width;
    int y = (index / width) % height;
    int c = index / (width * height);
    for (int ky = 0; ky < 3; ++ky) {
        for (int kx = 0; kx < 3; ++kx) {
            int yy = y + ky - 1;
            int xx = x + kx - 1;
            float v = 0.0f;
            if (yy >= 0 && yy < height && xx >= 0 && xx < width)
                v = image[(c * height + yy) * width + xx];
            cols[((c * 9 + ky * 3 + kx) * height + y) * width + x] = v;
        }
    }
}

int main()
{
    const int c = 16, h = 128, w = 128;
    float *image, *cols;
    cudaMalloc(&image, sizeof(float) * c * h * w);
    cudaMalloc(&cols, sizeof(float) * c * 9 * h * w);
    int n = c * h * w;
    im2col<<<(n + 255) / 256, 256>>>(image, cols, c, h, w);
    cudaDeviceSynchronize();
    return 0;
}
