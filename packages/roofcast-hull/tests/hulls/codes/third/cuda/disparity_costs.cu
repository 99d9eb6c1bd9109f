// Matching cost of each pixel at each disparity.
#include <cuda_runtime.h>

#define MAX_DISP 64

__global__ void disparity_costs(const float *left, const float *right, float *cost, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= width) return;
    float l = left[y * width + x];
    for (int d = 0; d < MAX_DISP; d++) {
        int xr = max(x - d, 0);
        cost[(d * height + y) * width + x] = fabsf(l - right[y * width + xr]);
    }
}

int main()
{
    const int width = 640, height = 400;
    float *l, *r, *c;
    cudaMalloc(&l, width * height * sizeof(float));
    cudaMalloc(&r, width * height * sizeof(float));
    cudaMalloc(&c, MAX_DISP * width * height * sizeof(float));
    disparity_costs<<<dim3((width + 127) / 128, height), 128>>>(l, r, c, width, height);
    cudaDeviceSynchronize();
    return 0;
}
