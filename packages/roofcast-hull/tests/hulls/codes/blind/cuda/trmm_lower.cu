#include <cuda_runtime.h>
#define N 1024

__global__ void trmm(const float *L, const float *B, float *C)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N && j < N) {
        float s = 0.0f;
        for (int k = 0; k <= i; k++) s += L[i * N + k] * B[k * N + j];
        C[i * N + j] = s;
    }
}

int main()
{
    float *L, *B, *C;
    size_t bytes = N * N * sizeof(float);
    cudaMallocManaged(&L, bytes);
    cudaMallocManaged(&B, bytes);
    cudaMallocManaged(&C, bytes);
    for (int i = 0; i < N * N; i++) { L[i] = 1.0f; B[i] = 2.0f; }
    trmm<<<dim3(N / 32, N / 4), dim3(32, 4)>>>(L, B, C);
    cudaDeviceSynchronize();
    cudaFree(L); cudaFree(B); cudaFree(C);
    return 0;
}
