#include <cuda_runtime.h>
#define M 2048
#define N 1024
#define K 256

/* similarity of every row of A with every row of B: C = A * B^T */
__global__ void abt(const float (*A)[K], const float (*B)[K], float (*C)[N])
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, p;
    float s = 0.f;
    for (p = 0; p < K; p++)
        s += A[i][p] * B[j][p];
    C[i][j] = s;
}

int main()
{
    float (*A)[K], (*B)[K], (*C)[N];
    cudaMalloc((void **)&A, sizeof(float) * M * K);
    cudaMalloc((void **)&B, sizeof(float) * N * K);
    cudaMalloc((void **)&C, sizeof(float) * M * N);
    dim3 t(16, 16), g(N / 16, M / 16);
    abt<<<g, t>>>(A, B, C);
    cudaDeviceReset();
    return 0;
}
