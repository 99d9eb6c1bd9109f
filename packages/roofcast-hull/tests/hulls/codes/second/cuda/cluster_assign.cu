// The nearest of a few centres for each point; features lie one behind the other.
#include <cuda_runtime.h>
#include <cfloat>

#define FEATURES 32
#define CENTRES 5

__constant__ float c_centres[CENTRES * FEATURES];

__global__ void assign(const float *features, int *membership, int npoints)
{
    unsigned int point = blockDim.x * blockIdx.x + threadIdx.x;
    if (point >= npoints) return;
    int best = -1;
    float smallest = FLT_MAX;
    for (int c = 0; c < CENTRES; c++) {
        float sum = 0.0f;
        for (int f = 0; f < FEATURES; f++) {
            float diff = features[f * npoints + point] - c_centres[c * FEATURES + f];
            sum += diff * diff;
        }
        if (sum < smallest) {
            smallest = sum;
            best = c;
        }
    }
    membership[point] = best;
}

int main()
{
    int n = 100000;
    float *features, host_centres[CENTRES * FEATURES] = {0};
    int *membership;
    cudaMalloc(&features, sizeof(float) * n * FEATURES);
    cudaMalloc(&membership, sizeof(int) * n);
    cudaMemcpyToSymbol(c_centres, host_centres, sizeof(host_centres));
    assign<<<(n + 127) / 128, 128>>>(features, membership, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
