// Projection layer: C = clamp(A B + bias, 0, 6), tiles of any size
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int M = 512, N = 640, K = 384;

template <int TILE>
__global__ void project(const float *A, const float *B, const float *bias, float *C)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.f;
    for (int t = 0; t < K / TILE; ++t) {
        As[ty][tx] = A[row * K + t * TILE + tx];
        Bs[ty][tx] = B[(t * TILE + ty) * N + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k)
            sum = fmaf(As[ty][k], Bs[k][tx], sum);
        __syncthreads();
    }
    C[row * N + col] = fminf(fmaxf(sum + bias[col], 0.f), 6.f);
}

int main()
{
    std::vector<float> a(M * K), b(K * N), c(N, 0.5f);
    for (size_t i = 0; i < a.size(); i++) a[i] = (int)(i * 37 % 19 - 9) * 0.05f;
    for (size_t i = 0; i < b.size(); i++) b[i] = (int)(i * 53 % 23 - 11) * 0.04f;
    float *A, *B, *bias, *C;
    cudaMalloc(&A, a.size() * sizeof(float));
    cudaMalloc(&B, b.size() * sizeof(float));
    cudaMalloc(&bias, N * sizeof(float));
    cudaMalloc(&C, M * N * sizeof(float));
    cudaMemcpy(A, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(B, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(bias, c.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    project<16><<<dim3(N / 16, M / 16), dim3(16, 16)>>>(A, B, bias, C);
    float out[4];
    cudaMemcpy(out, C, sizeof out, cudaMemcpyDeviceToHost);
    printf("%f %f %f %f\n", out[0], out[1], out[2], out[3]);
}
