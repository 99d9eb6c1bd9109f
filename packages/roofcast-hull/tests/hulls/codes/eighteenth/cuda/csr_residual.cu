// r = b - A x for a five point operator kept as CSR, half a warp to a row.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int SIDE = 1000;
constexpr int ROWS = SIDE * SIDE;

__global__ void residual(const int* __restrict__ ptr, const int* __restrict__ col, const double* __restrict__ val,
                         const double* __restrict__ x, const double* __restrict__ b, double* __restrict__ r)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
    const int lane = threadIdx.x % 16;
    if (row >= ROWS) return;
    double s = 0.0;
    for (int k = ptr[row] + lane; k < ptr[row + 1]; k += 16)
        s += val[k] * x[col[k]];
    for (int o = 8; o > 0; o /= 2)
        s += __shfl_down_sync(0xffffffff, s, o, 16);
    if (lane == 0) r[row] = b[row] - s;
}

// damped correction by the diagonal
__global__ void correct(double* x, const double* r, const double* diag, double omega)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < ROWS) x[i] += omega * r[i] / diag[i];
}

int main()
{
    std::vector<int> ptr(ROWS + 1), col(5 * ROWS);
    std::vector<double> val(5 * ROWS), ones(ROWS, 1.0), four(ROWS, 4.0);
    int at[5] = {-SIDE, -1, 0, 1, SIDE};
    for (int i = 0; i < ROWS; ++i) {
        ptr[i + 1] = 5 * (i + 1);
        for (int k = 0; k < 5; ++k) {
            col[5 * i + k] = (i + at[k] + ROWS) % ROWS;
            val[5 * i + k] = k == 2 ? 4.0 : -1.0;
        }
    }
    int *dp, *dc; double *dv, *x, *b, *r, *d;
    cudaMalloc(&dp, (ROWS + 1) * sizeof(int));
    cudaMalloc(&dc, 5 * ROWS * sizeof(int));
    cudaMalloc(&dv, 5 * ROWS * sizeof(double));
    cudaMalloc(&x, ROWS * sizeof(double));
    cudaMalloc(&b, ROWS * sizeof(double));
    cudaMalloc(&r, ROWS * sizeof(double));
    cudaMalloc(&d, ROWS * sizeof(double));
    cudaMemcpy(dp, ptr.data(), (ROWS + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, col.data(), 5 * ROWS * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, val.data(), 5 * ROWS * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, ones.data(), ROWS * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d, four.data(), ROWS * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(x, 0, ROWS * sizeof(double));
    for (int it = 0; it < 5; ++it) {
        residual<<<(ROWS * 16 + 255) / 256, 256>>>(dp, dc, dv, x, b, r);
        correct<<<(ROWS + 255) / 256, 256>>>(x, r, d, 0.8);
    }
    double h;
    cudaMemcpy(&h, r + 500, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h);
}
