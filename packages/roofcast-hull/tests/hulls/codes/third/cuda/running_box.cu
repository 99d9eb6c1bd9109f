// Box blur along rows: a window that slides, a thread for each row of a transposed picture.
// Columns of the picture are contiguous across threads, so that accesses are coalesced.
#include <cuda_runtime.h>

#define ROWS 2048
#define LENGTH 1024
#define R 7

__global__ void running_box(const float *in, float *out)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= ROWS) return;
    float sum = 0.0f;
    for (int k = 0; k < R; k++) sum += in[k * ROWS + row];
    for (int k = 0; k < LENGTH; k++) {
        if (k + R < LENGTH) sum += in[(k + R) * ROWS + row];
        if (k - R - 1 >= 0) sum -= in[(k - R - 1) * ROWS + row];
        out[k * ROWS + row] = sum * (1.0f / (2 * R + 1));
    }
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, ROWS * LENGTH * sizeof(float));
    cudaMalloc(&out, ROWS * LENGTH * sizeof(float));
    running_box<<<ROWS / 64, 64>>>(in, out);
    cudaDeviceSynchronize();
    return 0;
}
