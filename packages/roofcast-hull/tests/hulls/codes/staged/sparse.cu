// Rows of sparse matrices, and products in batches with strides.
#include <cuda_runtime.h>

#define ROWS 200000
#define NNZ 3200000
#define WIDTH 24

__global__ void csr_scalar(int rows, const int *ptr, const int *col, const double *val, const double *x, double *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        double sum = 0.0;
        for (int k = ptr[r]; k < ptr[r + 1]; ++k) sum += val[k] * x[col[k]];
        y[r] = sum;
    }
}

__global__ void csr_vector(int rows, const int *ptr, const int *col, const float *val, const float *x, float *y)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int r = thread / 32, lane = thread % 32;
    if (r < rows) {
        float sum = 0.0f;
        for (int k = ptr[r] + lane; k < ptr[r + 1]; k += 32) sum += val[k] * x[col[k]];
        for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (lane == 0) y[r] = sum;
    }
}

__global__ void ell(int rows, int width, const int *col, const float *val, const float *x, float *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0.0f;
    for (int k = 0; k < width; k++) sum += val[k * rows + r] * x[col[k * rows + r]];
    y[r] = sum;
}

// C = A B for each of many, distances between matrices given.
__global__ void gemm_strided(int m, int n, int k, const float *A, long sa, const float *B, long sb, float *C, long sc)
{
    const float *a = A + blockIdx.z * sa;
    const float *b = B + blockIdx.z * sb;
    float *c = C + blockIdx.z * sc;
    int row = blockIdx.y * blockDim.y + threadIdx.y, colm = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || colm >= n) return;
    float acc = 0.0f;
    for (int p = 0; p < k; p++) acc += a[row * k + p] * b[p * n + colm];
    c[row * n + colm] = acc;
}

int main()
{
    int *ptr, *col;
    double *val, *x, *y;
    float *fval, *fx, *fy, *A, *B, *C;
    int *ecol;
    float *eval;
    cudaMalloc(&ptr, (ROWS + 1) * sizeof(int));
    cudaMalloc(&col, NNZ * sizeof(int));
    cudaMalloc(&val, NNZ * sizeof(double));
    cudaMalloc(&fval, NNZ * sizeof(float));
    cudaMalloc(&x, ROWS * sizeof(double));
    cudaMalloc(&y, ROWS * sizeof(double));
    cudaMalloc(&fx, ROWS * sizeof(float));
    cudaMalloc(&fy, ROWS * sizeof(float));
    cudaMalloc(&ecol, (size_t)ROWS * WIDTH * sizeof(int));
    cudaMalloc(&eval, (size_t)ROWS * WIDTH * sizeof(float));
    cudaMalloc(&A, 50 * 256 * 128 * sizeof(float));
    cudaMalloc(&B, 50 * 128 * 192 * sizeof(float));
    cudaMalloc(&C, 50 * 256 * 192 * sizeof(float));
    csr_scalar<<<(ROWS + 255) / 256, 256>>>(ROWS, ptr, col, val, x, y);
    csr_vector<<<(ROWS * 32 + 255) / 256, 256>>>(ROWS, ptr, col, fval, fx, fy);
    ell<<<(ROWS + 127) / 128, 128>>>(ROWS, WIDTH, ecol, eval, fx, fy);
    gemm_strided<<<dim3(192 / 16, 256 / 16, 50), dim3(16, 16)>>>(256, 192, 128, A, 256 * 128, B, 128 * 192, C, 256 * 192);
    return 0;
}
