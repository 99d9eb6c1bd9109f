// C := alpha A A^T + beta C, only the upper triangle of C is referenced (like xSYRK with uplo = 'U', trans = 'N').
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define N 900
#define K 300
#define DIM_THREAD_BLOCK_X 32
#define DIM_THREAD_BLOCK_Y 8

typedef float DATA_TYPE;

__global__ void syrk_kernel(DATA_TYPE alpha, DATA_TYPE beta, const DATA_TYPE *a, DATA_TYPE *c)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if ((i < N) && (j < N) && (j >= i)) {
        DATA_TYPE sum = 0;
        int k;
        for (k = 0; k < K; k++)
            sum += a[i * K + k] * a[j * K + k];
        c[i * N + j] = alpha * sum + beta * c[i * N + j];
    }
}

static void init_arrays(DATA_TYPE *A, DATA_TYPE *C)
{
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < K; k++) A[i * K + k] = ((DATA_TYPE)i * k) / N;
        for (int j = 0; j < N; j++) C[i * N + j] = ((DATA_TYPE)i * j + 2) / N;
    }
}

static void compare(const DATA_TYPE *A, const DATA_TYPE *C0, const DATA_TYPE *C, DATA_TYPE alpha, DATA_TYPE beta)
{
    int fail = 0;
    for (int i = 0; i < N; i += 97)
        for (int j = i; j < N; j += 31) {
            double s = 0;
            for (int k = 0; k < K; k++) s += (double)A[i * K + k] * A[j * K + k];
            double want = alpha * s + beta * C0[i * N + j];
            if (fabs(want - C[i * N + j]) > 1e-3 * (1 + fabs(want))) fail++;
        }
    printf("Non-matching outputs: %d\n", fail);
}

int main()
{
    DATA_TYPE alpha = 1.5f, beta = 0.25f;
    DATA_TYPE *A = (DATA_TYPE *)malloc(N * K * sizeof(DATA_TYPE));
    DATA_TYPE *C = (DATA_TYPE *)malloc(N * N * sizeof(DATA_TYPE));
    DATA_TYPE *C_gpu = (DATA_TYPE *)malloc(N * N * sizeof(DATA_TYPE));
    init_arrays(A, C);

    DATA_TYPE *A_dev, *C_dev;
    cudaMalloc((void **)&A_dev, sizeof(DATA_TYPE) * N * K);
    cudaMalloc((void **)&C_dev, sizeof(DATA_TYPE) * N * N);
    cudaMemcpy(A_dev, A, sizeof(DATA_TYPE) * N * K, cudaMemcpyHostToDevice);
    cudaMemcpy(C_dev, C, sizeof(DATA_TYPE) * N * N, cudaMemcpyHostToDevice);

    dim3 block(DIM_THREAD_BLOCK_X, DIM_THREAD_BLOCK_Y);
    dim3 grid((size_t)(ceil(((float)N) / ((float)DIM_THREAD_BLOCK_X))), (size_t)ceil(((float)N) / ((float)DIM_THREAD_BLOCK_Y)));
    syrk_kernel<<<grid, block>>>(alpha, beta, A_dev, C_dev);
    cudaDeviceSynchronize();

    cudaMemcpy(C_gpu, C_dev, sizeof(DATA_TYPE) * N * N, cudaMemcpyDeviceToHost);
    compare(A, C, C_gpu, alpha, beta);
    cudaFree(A_dev);
    cudaFree(C_dev);
    free(A);
    free(C);
    free(C_gpu);
    return 0;
}
