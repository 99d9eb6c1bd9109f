// Programs of PolyBench, written anew from their definitions, one kernel after the other at the launches that
// hopper_ncu measured (source_rows.toml has sizes and blocks). No qualifier says that arrays are apart, as there.
#include <cuda_runtime.h>

__global__ void atax_rows(int nx, int ny, float *A, float *x, float *tmp) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx) {
        tmp[i] = 0;
        for (int j = 0; j < ny; j++) tmp[i] += A[i * ny + j] * x[j];
    }
}

__global__ void atax_columns(int nx, int ny, float *A, float *y, float *tmp) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny) {
        y[j] = 0;
        for (int i = 0; i < nx; i++) y[j] += A[i * ny + j] * tmp[i];
    }
}

__global__ void fdtd_ey(int nx, int ny, float *fict, float *ey, float *hz, int t) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        if (i == 0)
            ey[i * ny + j] = fict[t];
        else
            ey[i * ny + j] = ey[i * ny + j] - 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
    }
}

__global__ void fdtd_ex(int nx, int ny, float *ex, float *hz) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny && j > 0) ex[i * ny + j] = ex[i * ny + j] - 0.5f * (hz[i * ny + j] - hz[i * ny + (j - 1)]);
}

__global__ void fdtd_hz(int nx, int ny, float *ex, float *ey, float *hz) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx - 1 && j < ny - 1)
        hz[i * ny + j] = hz[i * ny + j] -
                         0.7f * (ex[i * ny + (j + 1)] - ex[i * ny + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}

__global__ void gemm(int ni, int nj, int nk, float alpha, float beta, float *a, float *b, float *c) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        c[i * nj + j] *= beta;
        for (int k = 0; k < nk; k++) c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
    }
}

__global__ void jacobi_step(int n, float *A, float *B) {
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1)
        B[i * n + j] = 0.2f * (A[i * n + j] + A[i * n + (j - 1)] + A[i * n + (1 + j)] + A[(1 + i) * n + j] +
                               A[(i - 1) * n + j]);
}

__global__ void jacobi_copy(int n, float *A, float *B) {
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1) A[i * n + j] = B[i * n + j];
}

__global__ void gram_norm(int ni, int nj, float *a, float *r, float *q, int k) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid == 0) {
        float nrm = 0.0f;
        for (int i = 0; i < ni; i++) nrm += a[i * nj + k] * a[i * nj + k];
        r[k * nj + k] = sqrtf(nrm);
    }
}

__global__ void gram_column(int ni, int nj, float *a, float *r, float *q, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < ni) q[i * nj + k] = a[i * nj + k] / r[k * nj + k];
}

__global__ void gram_rest(int ni, int nj, float *a, float *r, float *q, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j > k && j < nj) {
        r[k * nj + j] = 0.0f;
        for (int i = 0; i < ni; i++) r[k * nj + j] += q[i * nj + k] * a[i * nj + j];
        for (int i = 0; i < ni; i++) a[i * nj + j] -= q[i * nj + k] * r[k * nj + j];
    }
}
