// Mann-Whitney U of two samples by all pairs; ties count a half.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int NX = 32768, NY = 20000;

__global__ void placements(const float *x, const float *y, float *u) {
    __shared__ float tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float mine = x[i];
    float wins = 0.0f;
    for (int base = 0; base < NY; base += 250) {
        if (threadIdx.x < 250) tile[threadIdx.x] = y[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 250; ++k) {
            const float other = tile[k];
            wins += mine > other ? 1.0f : (mine == other ? 0.5f : 0.0f);
        }
        __syncthreads();
    }
    u[i] = wins;
}

int main() {
    std::vector<float> x(NX), y(NY);
    for (int i = 0; i < NX; ++i) x[i] = (i * 69069u % 65521) / 655.21f;
    for (int i = 0; i < NY; ++i) y[i] = (i * 40692u % 65519) / 655.19f + 1.0f;
    float *dx, *dy, *du;
    cudaMalloc(&dx, sizeof(float) * NX);
    cudaMalloc(&dy, sizeof(float) * NY);
    cudaMalloc(&du, sizeof(float) * NX);
    cudaMemcpy(dx, x.data(), sizeof(float) * NX, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), sizeof(float) * NY, cudaMemcpyHostToDevice);
    placements<<<NX / 256, 256>>>(dx, dy, du);
    cudaMemcpy(x.data(), du, sizeof(float) * NX, cudaMemcpyDeviceToHost);
    double total = 0;
    for (float v : x) total += v;
    printf("U = %.1f\n", total);
}
