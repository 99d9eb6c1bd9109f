// Gradient of the cross entropy with respect to the logits.
#include <cuda_runtime.h>

__global__ void softmax_dlogits(float* dlogits, const float* dlosses, const float* probs, const int* targets, int rows, int V)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * V) {
        int row = i / V;
        int v = i % V;
        float indicator = v == targets[row] ? 1.0f : 0.0f;
        dlogits[i] = (probs[i] - indicator) * dlosses[row];
    }
}

int main()
{
    int rows = 8192, V = 1000;
    float *dlogits, *dlosses, *probs;
    int* targets;
    cudaMalloc(&dlogits, sizeof(float) * rows * V);
    cudaMalloc(&probs, sizeof(float) * rows * V);
    cudaMalloc(&dlosses, sizeof(float) * rows);
    cudaMalloc(&targets, sizeof(int) * rows);
    int block = 256;
    int grid = (rows * V + block - 1) / block;
    softmax_dlogits<<<grid, block>>>(dlogits, dlosses, probs, targets, rows, V);
    return cudaDeviceSynchronize();
}
