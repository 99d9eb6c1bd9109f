// Maxwell in two dimensions: electric, then magnetic field.
#include <cuda_runtime.h>

#define NX 2048
#define NY 2048

__global__ void update_e(float *ex, float *ey, const float *hz)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < NX && j > 0 && j < NY) {
        float h = hz[i * NY + j];
        ex[i * NY + j] -= 0.5f * (h - hz[i * NY + j - 1]);
        ey[i * NY + j] -= 0.5f * (h - hz[(i - 1) * NY + j]);
    }
}

__global__ void update_h(const float *ex, const float *ey, float *hz)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < NX - 1 && j < NY - 1) {
        int k = i * NY + j;
        hz[k] = hz[k] - 0.7f * (ex[k + 1] - ex[k] + ey[k + NY] - ey[k]);
    }
}

int main()
{
    float *ex, *ey, *hz;
    cudaMalloc((void **)&ex, sizeof(float) * NX * NY);
    cudaMalloc((void **)&ey, sizeof(float) * NX * NY);
    cudaMalloc((void **)&hz, sizeof(float) * NX * NY);
    dim3 block(32, 8);
    dim3 grid(NY / block.x, NX / block.y);
    for (int t = 0; t < 200; t++) {
        update_e<<<grid, block>>>(ex, ey, hz);
        update_h<<<grid, block>>>(ex, ey, hz);
    }
    cudaDeviceSynchronize();
    return 0;
}
