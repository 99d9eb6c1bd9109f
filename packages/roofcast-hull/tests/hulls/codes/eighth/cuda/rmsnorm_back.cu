// Backward pass of RMSNorm: gradient of the input (one block per row, float4) and of the weight (columns, atomics).
// Blind set: classes by hand; operations counted in Python for a short row.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define ROWS 16384
#define COLS 2048
#define TPB 256
#define VEC (COLS / 4 / TPB)      // float4 per thread

#define cudaCheck(err) (cuda_check(err, __FILE__, __LINE__))
void cuda_check(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) {
        printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}

__device__ float blockReduceSum(float val) {
    __shared__ float shared[32];
    __shared__ float total;
    int lane = threadIdx.x % 32, wid = threadIdx.x / 32;
    for (int o = 16; o > 0; o >>= 1) val += __shfl_xor_sync(0xffffffff, val, o);
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    if (wid == 0) {
        val = lane < TPB / 32 ? shared[lane] : 0.0f;
        for (int o = 16; o > 0; o >>= 1) val += __shfl_xor_sync(0xffffffff, val, o);
        if (lane == 0) total = val;
    }
    __syncthreads();
    return total;
}

__global__ void __launch_bounds__(TPB) rmsnorm_backward_dx(float *dx, const float *dy, const float *x,
                                                          const float *weight, const float *rstd) {
    const int row = blockIdx.x;
    const float4 *x4 = reinterpret_cast<const float4 *>(x + (size_t)row * COLS);
    const float4 *dy4 = reinterpret_cast<const float4 *>(dy + (size_t)row * COLS);
    const float4 *w4 = reinterpret_cast<const float4 *>(weight);
    float4 *dx4 = reinterpret_cast<float4 *>(dx + (size_t)row * COLS);

    float4 xv[VEC], gv[VEC];
    float dot = 0.0f;
#pragma unroll
    for (int k = 0; k < VEC; k++) {
        const int c = k * TPB + threadIdx.x;
        const float4 d = dy4[c], w = w4[c];
        xv[k] = x4[c];
        gv[k] = make_float4(d.x * w.x, d.y * w.y, d.z * w.z, d.w * w.w);
        dot += gv[k].x * xv[k].x + gv[k].y * xv[k].y + gv[k].z * xv[k].z + gv[k].w * xv[k].w;
    }
    dot = blockReduceSum(dot);
    const float r = rstd[row];
    const float coef = r * r * r * dot / COLS;
#pragma unroll
    for (int k = 0; k < VEC; k++) {
        float4 o;
        o.x = r * gv[k].x - coef * xv[k].x;
        o.y = r * gv[k].y - coef * xv[k].y;
        o.z = r * gv[k].z - coef * xv[k].z;
        o.w = r * gv[k].w - coef * xv[k].w;
        dx4[k * TPB + threadIdx.x] = o;
    }
}

#define ROWS_PER_BLOCK 128
__global__ void rmsnorm_backward_dweight(float *dweight, const float *dy, const float *x, const float *rstd) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row0 = blockIdx.y * ROWS_PER_BLOCK;
    float acc = 0.0f;
    for (int row = row0; row < row0 + ROWS_PER_BLOCK; row++) {
        const size_t at = (size_t)row * COLS + col;
        acc += dy[at] * x[at] * rstd[row];
    }
    atomicAdd(&dweight[col], acc);
}

__global__ void fill(float *p, size_t n, float scale, int mod) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = scale * (float)((int)(i % mod) - mod / 2);
}

int main() {
    const size_t n = (size_t)ROWS * COLS;
    float *x, *dy, *dx, *weight, *dweight, *rstd;
    cudaCheck(cudaMalloc(&x, n * sizeof(float)));
    cudaCheck(cudaMalloc(&dy, n * sizeof(float)));
    cudaCheck(cudaMalloc(&dx, n * sizeof(float)));
    cudaCheck(cudaMalloc(&weight, COLS * sizeof(float)));
    cudaCheck(cudaMalloc(&dweight, COLS * sizeof(float)));
    cudaCheck(cudaMalloc(&rstd, ROWS * sizeof(float)));
    fill<<<1024, 256>>>(x, n, 0.01f, 211);
    fill<<<1024, 256>>>(dy, n, 0.001f, 97);
    fill<<<8, 256>>>(weight, COLS, 0.5f, 5);
    fill<<<8, 256>>>(rstd, ROWS, 0.3f, 9);
    cudaCheck(cudaMemset(dweight, 0, COLS * sizeof(float)));

    rmsnorm_backward_dx<<<ROWS, TPB>>>(dx, dy, x, weight, rstd);
    cudaCheck(cudaGetLastError());
    dim3 grid(COLS / 128, ROWS / ROWS_PER_BLOCK);
    rmsnorm_backward_dweight<<<grid, 128>>>(dweight, dy, x, rstd);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaDeviceSynchronize());

    float h;
    cudaCheck(cudaMemcpy(&h, dweight, sizeof(float), cudaMemcpyDeviceToHost));
    printf("dweight[0] = %g\n", h);
    cudaFree(x); cudaFree(dy); cudaFree(dx); cudaFree(weight); cudaFree(dweight); cudaFree(rstd);
    return 0;
}
