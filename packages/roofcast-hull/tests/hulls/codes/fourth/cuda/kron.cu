#include <cuda_runtime.h>
#include <stdio.h>

#define M1 32
#define N1 24
#define M2 40
#define N2 48

__global__ void kronecker(const double *a, const double *b, double *c)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M1 * M2 && col < N1 * N2)
        c[row * (N1 * N2) + col] = a[(row / M2) * N1 + col / N2] * b[(row % M2) * N2 + col % N2];
}

int main()
{
    static double ha[M1 * N1], hb[M2 * N2];
    for (int i = 0; i < M1 * N1; i++) ha[i] = i;
    for (int i = 0; i < M2 * N2; i++) hb[i] = 1.0 / (i + 1);
    double *a, *b, *c;
    cudaMalloc((void **)&a, sizeof(ha));
    cudaMalloc((void **)&b, sizeof(hb));
    cudaMalloc((void **)&c, sizeof(double) * M1 * N1 * M2 * N2);
    cudaMemcpy(a, ha, sizeof(ha), cudaMemcpyHostToDevice);
    cudaMemcpy(b, hb, sizeof(hb), cudaMemcpyHostToDevice);
    dim3 block(16, 16);
    dim3 grid((N1 * N2 + 15) / 16, (M1 * M2 + 15) / 16);
    kronecker<<<grid, block>>>(a, b, c);
    double v;
    cudaMemcpy(&v, c + 5, sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", v);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
