#include <stdio.h>
#define MASK_DIM 7
#define MASK_OFFSET (MASK_DIM / 2)

__constant__ float mask[MASK_DIM * MASK_DIM];

__global__ void convolution_2d(const float *image, float *result, int width, int height) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || col >= width) return;
    int start_r = row - MASK_OFFSET;
    int start_c = col - MASK_OFFSET;
    float temp = 0;
    for (int i = 0; i < MASK_DIM; i++) {
        for (int j = 0; j < MASK_DIM; j++) {
            if ((start_r + i) >= 0 && (start_r + i) < height) {
                if ((start_c + j) >= 0 && (start_c + j) < width) {
                    temp += image[(start_r + i) * width + (start_c + j)] * mask[i * MASK_DIM + j];
                }
            }
        }
    }
    result[row * width + col] = temp;
}

int main() {
    int width = 1024, height = 768;
    size_t bytes = width * height * sizeof(float);
    float *d_image, *d_result;
    float h_mask[MASK_DIM * MASK_DIM];
    for (int i = 0; i < MASK_DIM * MASK_DIM; i++) h_mask[i] = 1.0f / 49;
    cudaMalloc(&d_image, bytes);
    cudaMalloc(&d_result, bytes);
    cudaMemcpyToSymbol(mask, h_mask, sizeof(h_mask));
    int THREADS = 16;
    dim3 block_dim(THREADS, THREADS);
    dim3 grid_dim((width + THREADS - 1) / THREADS, (height + THREADS - 1) / THREADS);
    convolution_2d<<<grid_dim, block_dim>>>(d_image, d_result, width, height);
    cudaDeviceSynchronize();
    return 0;
}
