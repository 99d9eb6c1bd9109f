// A product with a tile of registers for each thread.
#include <cuda_runtime.h>

template <int BM, int BN, int BK, int TM, int TN>
__global__ void sgemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int threadCol = threadIdx.x % (BN / TN);
    const int threadRow = threadIdx.x / (BN / TN);
    constexpr int threads = (BM / TM) * (BN / TN);
    float acc[TM][TN] = {{0.0f}};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += threads)
            As[i] = A[(blockIdx.y * BM + i / BK) * K + k0 + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += threads)
            Bs[i] = B[(k0 + i / BN) * N + blockIdx.x * BN + i % BN];
        __syncthreads();
        for (int k = 0; k < BK; k++) {
            for (int m = 0; m < TM; m++)
                for (int n = 0; n < TN; n++)
                    acc[m][n] += As[(threadRow * TM + m) * BK + k] * Bs[k * BN + threadCol * TN + n];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; m++)
        for (int n = 0; n < TN; n++) {
            const int at = (blockIdx.y * BM + threadRow * TM + m) * N + blockIdx.x * BN + threadCol * TN + n;
            C[at] = alpha * acc[m][n] + beta * C[at];
        }
}

int main()
{
    const int M = 1024, N = 1024, K = 1024;
    float *A, *B, *C;
    cudaMalloc(&A, M * K * sizeof(float));
    cudaMalloc(&B, K * N * sizeof(float));
    cudaMalloc(&C, M * N * sizeof(float));
    dim3 grid(N / 64, M / 64);
    sgemm<64, 64, 16, 4, 4><<<grid, 256>>>(M, N, K, 1.0f, A, B, 0.5f, C);
    cudaDeviceSynchronize();
    return 0;
}
