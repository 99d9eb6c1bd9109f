#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

// One reflector H = I - tau v v^T applied from the left to a matrix stored by rows: w = A^T v, then A -= tau v w^T

#define COLS 32
#define GROUPS 8

__global__ void reflect_dots(const double* A, const double* v, double* w, int rows, int cols)
{
    __shared__ double part[GROUPS][COLS];
    const int j = blockIdx.x * COLS + threadIdx.x;
    double s = 0.0;
    if (j < cols)
        for (int i = threadIdx.y; i < rows; i += GROUPS) s += v[i] * A[(size_t)i * cols + j];
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y == 0 && j < cols) {
        double t = 0.0;
        for (int g = 0; g < GROUPS; ++g) t += part[g][threadIdx.x];
        w[j] = t;
    }
}

__global__ void reflect_update(double* A, const double* v, const double* w, double tau, int rows, int cols)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < cols) A[(size_t)i * cols + j] -= tau * v[i] * w[j];
}

int main(int argc, char** argv)
{
    int rows = 2000, cols = 512;
    if (argc == 3) {
        rows = atoi(argv[1]);
        cols = atoi(argv[2]);
    }
    std::vector<double> A((size_t)rows * cols), v(rows);
    for (auto& a : A) a = rand() / (double)RAND_MAX - 0.5;

    // the reflector that clears the first column below its first element
    double norm2 = 0.0;
    for (int i = 0; i < rows; ++i) {
        v[i] = A[(size_t)i * cols];
        norm2 += v[i] * v[i];
    }
    const double alpha = v[0] > 0 ? -std::sqrt(norm2) : std::sqrt(norm2);
    v[0] -= alpha;
    double vv = 0.0;
    for (double x : v) vv += x * x;
    const double tau = 2.0 / vv;

    double *dA, *dv, *dw;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dv, v.size() * sizeof(double));
    cudaMalloc(&dw, cols * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), v.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 block1(COLS, GROUPS);
    reflect_dots<<<(cols + COLS - 1) / COLS, block1>>>(dA, dv, dw, rows, cols);
    dim3 block2(32, 8);
    dim3 grid2((cols + 31) / 32, (rows + 7) / 8);
    reflect_update<<<grid2, block2>>>(dA, dv, dw, tau, rows, cols);

    cudaMemcpy(A.data(), dA, A.size() * sizeof(double), cudaMemcpyDeviceToHost);
    double below = 0.0;
    for (int i = 1; i < rows; ++i) below = std::fmax(below, std::fabs(A[(size_t)i * cols]));
    printf("first element %.6f (%.6f), below it at most %.2e\n", A[0], alpha, below);
    cudaFree(dA);
    cudaFree(dv);
    cudaFree(dw);
    return 0;
}
