#include <cuda_runtime.h>

__global__ void scan_columns(const float *in, float *out, int h, int w)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= w) return;
    float run = 0.f;
    for (int r = 0; r < h; r++) {
        run += in[r * w + c];
        out[r * w + c] = run;
    }
}

__global__ void scan_rows_inplace(float *img, int h, int w)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < h)
        for (int c = 1; c < w; c++) img[r * w + c] += img[r * w + c - 1];
}

int main()
{
    const int h = 1080, w = 1920;
    float *in, *out;
    cudaMalloc(&in, h * w * sizeof(float));
    cudaMalloc(&out, h * w * sizeof(float));
    scan_columns<<<(w + 127) / 128, 128>>>(in, out, h, w);
    scan_rows_inplace<<<(h + 127) / 128, 128>>>(out, h, w);
    cudaDeviceSynchronize();
}
