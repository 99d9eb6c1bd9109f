#include <cuda_runtime.h>
#include <float.h>

#define DIMS 16

__global__ void assign(const float *points, const float *centroids, int *labels, int n, int k) {
    extern __shared__ float c[];
    for (int i = threadIdx.x; i < k * DIMS; i += blockDim.x) c[i] = centroids[i];
    __syncthreads();
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    float best = FLT_MAX;
    int label = -1;
    for (int j = 0; j < k; j++) {
        float dist = 0.0f;
        for (int d = 0; d < DIMS; d++) {
            float diff = points[p * DIMS + d] - c[j * DIMS + d];
            dist += diff * diff;
        }
        if (dist < best) {
            best = dist;
            label = j;
        }
    }
    labels[p] = label;
}

int main() {
    const int n = 65536, k = 32;
    float *points, *centroids;
    int *labels;
    cudaMalloc(&points, n * DIMS * sizeof(float));
    cudaMalloc(&centroids, k * DIMS * sizeof(float));
    cudaMalloc(&labels, n * sizeof(int));
    assign<<<(n + 255) / 256, 256, k * DIMS * sizeof(float)>>>(points, centroids, labels, n, k);
    cudaDeviceSynchronize();
}
