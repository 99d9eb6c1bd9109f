// Windows of a sonar record against a bank of chirps: energies of the correlations, then the best chirp of each window.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

#define TILE 16
const int WINDOWS = 4096, CHIRPS = 128, LENGTH = 512;

__global__ void energies(const float *win, const float *bank, float *e)
{
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float c = 0.f;
    for (int k0 = 0; k0 < LENGTH; k0 += TILE) {
        a[ty][tx] = win[row * LENGTH + k0 + tx];
        b[ty][tx] = bank[(blockIdx.x * TILE + ty) * LENGTH + k0 + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) c += a[ty][k] * b[tx][k];
        __syncthreads();
    }
    e[row * CHIRPS + col] = c * c;
}

__global__ void best_chirp(const float *e, float *peak, int *which)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    float top = -1.f;
    int at = 0;
    for (int k = lane; k < CHIRPS; k += 32) {
        float v = e[row * CHIRPS + k];
        if (v > top) { top = v; at = k; }
    }
    for (int o = 16; o > 0; o >>= 1) {
        float ov = __shfl_down_sync(~0u, top, o);
        int oa = __shfl_down_sync(~0u, at, o);
        if (ov > top) { top = ov; at = oa; }
    }
    if (lane == 0) { peak[row] = top; which[row] = at; }
}

int main()
{
    std::vector<float> w(WINDOWS * LENGTH), b(CHIRPS * LENGTH);
    for (size_t i = 0; i < w.size(); i++) w[i] = std::sin(0.013f * (i % 7919));
    for (int c = 0; c < CHIRPS; c++)
        for (int k = 0; k < LENGTH; k++) b[c * LENGTH + k] = std::cos(0.0001f * (c + 1) * k * k / LENGTH);
    float *dw, *db, *de, *dp;
    int *di;
    cudaMalloc(&dw, w.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&de, WINDOWS * CHIRPS * sizeof(float));
    cudaMalloc(&dp, WINDOWS * sizeof(float));
    cudaMalloc(&di, WINDOWS * sizeof(int));
    cudaMemcpy(dw, w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE), grid(CHIRPS / TILE, WINDOWS / TILE);
    energies<<<grid, block>>>(dw, db, de);
    best_chirp<<<WINDOWS / 8, 256>>>(de, dp, di);
    int k;
    cudaMemcpy(&k, di, sizeof k, cudaMemcpyDeviceToHost);
    printf("chirp %d\n", k);
}
