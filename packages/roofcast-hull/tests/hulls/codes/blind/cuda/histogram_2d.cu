#include <cuda_runtime.h>

struct Axis { float low, inv_width; int bins; };

__global__ void fill2d(const float *x, const float *y, const float *weight, float *hist, int n, Axis ax, Axis ay)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bx = (int)floorf((x[i] - ax.low) * ax.inv_width);
    int by = (int)floorf((y[i] - ay.low) * ay.inv_width);
    if (bx >= 0 && bx < ax.bins && by >= 0 && by < ay.bins)
        atomicAdd(&hist[by * ax.bins + bx], weight[i]);
}

int main()
{
    const int n = 2000000;
    Axis a = {-1.f, 32.f, 64};
    float *x, *y, *w, *hist;
    cudaMalloc(&x, n * 4);
    cudaMalloc(&y, n * 4);
    cudaMalloc(&w, n * 4);
    cudaMalloc(&hist, a.bins * a.bins * 4);
    cudaMemset(hist, 0, a.bins * a.bins * 4);
    fill2d<<<(n + 255) / 256, 256>>>(x, y, w, hist, n, a, a);
    cudaDeviceSynchronize();
    return 0;
}
