// block sparse (4x4 blocks, six to a block row) times vector; shift of the diagonal blocks
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static const int BR = 50000;   // block rows
static const int PER = 6;
static const int B = 4;

__global__ void bsr_mv(const double *val, const int *col, const double *x, double *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;     // scalar row
    if (r >= BR * B) return;
    int br = r / B, in = r % B;
    double s = 0;
    for (int j = 0; j < PER; j++) {
        int c = col[br * PER + j];
        const double *blk = val + ((size_t)(br * PER + j) * B + in) * B;
        const double *xv = x + c * B;
        s += blk[0] * xv[0];
        s += blk[1] * xv[1];
        s += blk[2] * xv[2];
        s += blk[3] * xv[3];
    }
    y[r] = s;
}

__global__ void residual_sq(const double *b, const double *y, double *blocksum)
{
    __shared__ double w[8];
    double acc = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < BR * B; i += gridDim.x * blockDim.x) {
        double d = b[i] - y[i];
        acc += d * d;
    }
    for (int o = 16; o > 0; o /= 2) acc += __shfl_down_sync(0xffffffff, acc, o);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++) acc += w[k];
        blocksum[blockIdx.x] = acc;
    }
}

int main()
{
    std::vector<double> val((size_t)BR * PER * B * B), x(BR * B), b(BR * B, 1.0);
    std::vector<int> col(BR * PER);
    const int off[PER] = {-200, -1, 0, 1, 2, 200};
    for (int r = 0; r < BR; r++)
        for (int j = 0; j < PER; j++) {
            int c = (r + off[j] + BR) % BR;
            col[r * PER + j] = c;
            for (int e = 0; e < 16; e++) val[((size_t)r * PER + j) * 16 + e] = (j == 2 && e % 5 == 0) ? 8.0 : -0.1 * (e % 3);
        }
    for (int i = 0; i < BR * B; i++) x[i] = 0.01 * (i % 113);
    double *dv, *dx, *dy, *db, *ds; int *dc;
    cudaMalloc(&dv, val.size() * 8); cudaMalloc(&dx, x.size() * 8); cudaMalloc(&dy, x.size() * 8);
    cudaMalloc(&db, b.size() * 8); cudaMalloc(&ds, 104 * 8); cudaMalloc(&dc, col.size() * 4);
    cudaMemcpy(dv, val.data(), val.size() * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, col.data(), col.size() * 4, cudaMemcpyHostToDevice);
    bsr_mv<<<(BR * B + 255) / 256, 256>>>(dv, dc, dx, dy);
    residual_sq<<<104, 256>>>(db, dy, ds);
    double r;
    cudaMemcpy(&r, ds, 8, cudaMemcpyDeviceToHost);
    printf("%g\n", r);
}
