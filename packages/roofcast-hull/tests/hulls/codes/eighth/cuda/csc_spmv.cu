// y += A x for a sparse matrix stored by columns (CSC): one thread a column, scattered atomic additions.
// Blind set: to be refused (lengths of the columns and places of the additions are data).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define SAFE(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
    fprintf(stderr, "CUDA error %d at line %d: %s\n", (int)e, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

template <typename IndexT, typename ValueT>
__global__ void csc_spmv_scatter(IndexT ncols, const IndexT *__restrict__ colptr, const IndexT *__restrict__ rowidx,
                                 const ValueT *__restrict__ val, const ValueT *__restrict__ x, ValueT *y)
{
    const IndexT col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= ncols) return;
    const ValueT xc = x[col];
    if (xc == ValueT(0)) return;
    for (IndexT p = colptr[col]; p < colptr[col + 1]; ++p)
        atomicAdd(&y[rowidx[p]], val[p] * xc);
}

int main()
{
    const int n = 1 << 20;
    std::vector<int> colptr(n + 1, 0), rowidx;
    for (int c = 0; c < n; ++c) colptr[c + 1] = colptr[c] + 8 + c % 17;
    const int nnz = colptr[n];
    rowidx.resize(nnz);
    unsigned state = 1;
    for (int p = 0; p < nnz; ++p) {
        state = state * 1664525u + 1013904223u;
        rowidx[p] = (int)(state >> 12);
    }
    std::vector<float> val(nnz, 0.5f), x(n);
    for (int c = 0; c < n; ++c) x[c] = c % 5 ? 1.0f / (1 + c % 9) : 0.0f;

    int *dptr, *didx;
    float *dval, *dx, *dy;
    SAFE(cudaMalloc(&dptr, (n + 1) * sizeof(int)));
    SAFE(cudaMalloc(&didx, nnz * sizeof(int)));
    SAFE(cudaMalloc(&dval, nnz * sizeof(float)));
    SAFE(cudaMalloc(&dx, n * sizeof(float)));
    SAFE(cudaMalloc(&dy, n * sizeof(float)));
    SAFE(cudaMemcpy(dptr, colptr.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(didx, rowidx.data(), nnz * sizeof(int), cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(dval, val.data(), nnz * sizeof(float), cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    SAFE(cudaMemset(dy, 0, n * sizeof(float)));
    csc_spmv_scatter<int, float><<<(n + 255) / 256, 256>>>(n, dptr, didx, dval, dx, dy);
    SAFE(cudaGetLastError());
    SAFE(cudaDeviceSynchronize());
    float h;
    SAFE(cudaMemcpy(&h, dy, sizeof(float), cudaMemcpyDeviceToHost));
    printf("nnz %d, y[0] = %f\n", nnz, h);
    cudaFree(dptr); cudaFree(didx); cudaFree(dval); cudaFree(dx); cudaFree(dy);
    return 0;
}
