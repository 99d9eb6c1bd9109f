// Heat of a plate with sources, explicit steps.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_OK(call)                                                                 \
    do {                                                                              \
        cudaError_t status_ = (call);                                                 \
        if (status_ != cudaSuccess) {                                                 \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                       \
        }                                                                             \
    } while (0)

constexpr int ROWS = 1024;
constexpr int COLS = 1024;
constexpr int EDGE = 16;

__global__ void thermal_step(const float* __restrict__ temp, const float* __restrict__ power, float* __restrict__ next,
                             float cap, float rx, float ry, float rz, float ambient)
{
    const int col = blockIdx.x * EDGE + threadIdx.x;
    const int row = blockIdx.y * EDGE + threadIdx.y;
    if (row >= ROWS || col >= COLS) return;

    const int north = row > 0 ? row - 1 : 0;
    const int south = row < ROWS - 1 ? row + 1 : ROWS - 1;
    const int west = col > 0 ? col - 1 : 0;
    const int east = col < COLS - 1 ? col + 1 : COLS - 1;

    const float t = temp[row * COLS + col];
    const float vertical = (temp[north * COLS + col] + temp[south * COLS + col] - 2.0f * t) * ry;
    const float horizontal = (temp[row * COLS + west] + temp[row * COLS + east] - 2.0f * t) * rx;
    const float loss = (ambient - t) * rz;
    next[row * COLS + col] = t + cap * (power[row * COLS + col] + vertical + horizontal + loss);
}

int main()
{
    const size_t bytes = sizeof(float) * ROWS * COLS;
    std::vector<float> t0(ROWS * COLS, 323.0f), p0(ROWS * COLS, 0.001f);
    float *a, *b, *p;
    CUDA_OK(cudaMalloc(&a, bytes));
    CUDA_OK(cudaMalloc(&b, bytes));
    CUDA_OK(cudaMalloc(&p, bytes));
    CUDA_OK(cudaMemcpy(a, t0.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(p, p0.data(), bytes, cudaMemcpyHostToDevice));
    const dim3 threads(EDGE, EDGE);
    const dim3 blocks((COLS + EDGE - 1) / EDGE, (ROWS + EDGE - 1) / EDGE);
    for (int step = 0; step < 60; ++step) {
        thermal_step<<<blocks, threads>>>(a, p, b, 0.5f, 0.1f, 0.1f, 0.0033f, 80.0f);
        CUDA_OK(cudaGetLastError());
        std::swap(a, b);
    }
    CUDA_OK(cudaDeviceSynchronize());
    CUDA_OK(cudaMemcpy(t0.data(), a, bytes, cudaMemcpyDeviceToHost));
    printf("%f\n", t0[COLS + 1]);
    cudaFree(a); cudaFree(b); cudaFree(p);
    return 0;
}
