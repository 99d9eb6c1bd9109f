// Jacobi's iteration for a sparse matrix with nine entries beside the diagonal in each row, stored by columns.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 9

__global__ void ell_jacobi(const double *val, const int *col, const double *diag, const double *b,
                           const double *x, double *x_new, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        double s = b[row];
        for (int k = 0; k < WIDTH; k++)
            s -= val[k * n + row] * x[col[k * n + row]];
        x_new[row] = s / diag[row];
    }
}

int main()
{
    const int n = 20000;
    double *val = (double *)malloc(n * WIDTH * sizeof(double));
    int *col = (int *)malloc(n * WIDTH * sizeof(int));
    double *vec = (double *)malloc(n * sizeof(double));
    for (int k = 0; k < WIDTH; k++)
        for (int r = 0; r < n; r++) {
            val[k * n + r] = -0.1;
            col[k * n + r] = rand() % n;
        }
    for (int r = 0; r < n; r++) vec[r] = 1.0;
    double *dval, *ddiag, *db, *dx, *dy;
    int *dcol;
    cudaMalloc((void **)&dval, n * WIDTH * sizeof(double));
    cudaMalloc((void **)&dcol, n * WIDTH * sizeof(int));
    cudaMalloc((void **)&ddiag, n * sizeof(double));
    cudaMalloc((void **)&db, n * sizeof(double));
    cudaMalloc((void **)&dx, n * sizeof(double));
    cudaMalloc((void **)&dy, n * sizeof(double));
    cudaMemcpy(dval, val, n * WIDTH * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dcol, col, n * WIDTH * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(ddiag, vec, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, vec, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, vec, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int it = 0; it < 40; it++) {
        ell_jacobi<<<(n + 255) / 256, 256>>>(dval, dcol, ddiag, db, dx, dy, n);
        double *t = dx;
        dx = dy;
        dy = t;
    }
    cudaMemcpy(vec, dx, n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", vec[0]);
    cudaFree(dval);
    cudaFree(dcol);
    cudaFree(ddiag);
    cudaFree(db);
    cudaFree(dx);
    cudaFree(dy);
    free(val);
    free(col);
    free(vec);
    return 0;
}
