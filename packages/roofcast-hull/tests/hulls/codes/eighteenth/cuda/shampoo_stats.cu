#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static const int M = 512, N = 2048;

// L <- beta L + (1 - beta) G G^T
__global__ void left_statistics(const float* G, float* L, float beta)
{
    const int r = blockIdx.y * 16 + threadIdx.y;
    const int c = blockIdx.x * 16 + threadIdx.x;
    __shared__ float a[16][16], b[16][17];
    float s = 0.f;
    for (int k = 0; k < N; k += 16) {
        a[threadIdx.y][threadIdx.x] = G[r * N + k + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = G[(blockIdx.x * 16 + threadIdx.y) * N + k + threadIdx.x];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; ++j) s = fmaf(a[threadIdx.y][j], b[threadIdx.x][j], s);
        __syncthreads();
    }
    L[r * M + c] = beta * L[r * M + c] + (1.f - beta) * s;
}

// diagonal fall-back for the columns
__global__ void right_diagonal(const float* G, float* R, float beta)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= N) return;
    float s = 0.f;
    for (int r = 0; r < M; ++r) s += G[r * N + c] * G[r * N + c];
    R[c] = beta * R[c] + (1.f - beta) * s;
}

__global__ void graft(float* W, const float* P, const float* R, float lr, float eps)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= N) return;
    W[r * N + c] -= lr * P[r * N + c] * rsqrtf(sqrtf(R[c]) + eps);
}

int main()
{
    std::vector<float> h(M * N);
    for (int i = 0; i < M * N; i++) h[i] = ((i * 37) % 211) / 211.f - 0.5f;
    float *G, *L, *R, *W;
    cudaMalloc(&G, M * N * sizeof(float));
    cudaMalloc(&W, M * N * sizeof(float));
    cudaMalloc(&L, M * M * sizeof(float));
    cudaMalloc(&R, N * sizeof(float));
    cudaMemcpy(G, h.data(), M * N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(W, h.data(), M * N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(L, 0, M * M * sizeof(float));
    cudaMemset(R, 0, N * sizeof(float));
    left_statistics<<<dim3(M / 16, M / 16), dim3(16, 16)>>>(G, L, 0.95f);
    right_diagonal<<<N / 128, 128>>>(G, R, 0.95f);
    graft<<<dim3(N / 256, M), 256>>>(W, G, R, 1e-3f, 1e-8f);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
