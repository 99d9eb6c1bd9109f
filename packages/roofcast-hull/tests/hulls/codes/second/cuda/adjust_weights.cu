// The weights of a hidden layer after one sample.
#include <cuda_runtime.h>

#define HID 16
#define IN 65536
#define ETA 0.3f
#define MOMENTUM 0.3f

__global__ void adjust_weights(const float *delta, const float *ly, float *w, float *oldw)
{
    int by = blockIdx.y;
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int index = HID * (16 * by + ty) + tx;
    float change = ETA * delta[tx] * ly[16 * by + ty] + MOMENTUM * oldw[index];
    w[index] += change;
    oldw[index] = change;
}

int main()
{
    float *delta, *ly, *w, *oldw;
    cudaMalloc(&delta, HID * sizeof(float));
    cudaMalloc(&ly, IN * sizeof(float));
    cudaMalloc(&w, IN * HID * sizeof(float));
    cudaMalloc(&oldw, IN * HID * sizeof(float));
    dim3 grid(1, IN / 16);
    dim3 threads(16, 16);
    adjust_weights<<<grid, threads>>>(delta, ly, w, oldw);
    cudaDeviceSynchronize();
    return 0;
}
