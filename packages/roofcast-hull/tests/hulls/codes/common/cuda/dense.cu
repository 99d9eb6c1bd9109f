#include <cuda_runtime.h>

template <typename T, int TILE>
__global__ void gemm_tiled(const T *A, const T *B, T *C, int M, int N, int K)
{
    __shared__ T As[TILE][TILE];
    __shared__ T Bs[TILE][TILE + 1];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    T sum = T(0);
    for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
        As[threadIdx.y][threadIdx.x] = (row < M && t * TILE + threadIdx.x < K) ? A[row * K + t * TILE + threadIdx.x] : T(0);
        Bs[threadIdx.y][threadIdx.x] = (col < N && t * TILE + threadIdx.y < K) ? B[(t * TILE + threadIdx.y) * N + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

#define DIM 32
#define ROWS 8
__global__ void transpose_double(double *out, const double *in, int nx, int ny)
{
    __shared__ double buf[DIM][DIM + 1];
    int x = blockIdx.x * DIM + threadIdx.x, y = blockIdx.y * DIM + threadIdx.y;
    for (int j = 0; j < DIM; j += ROWS)
        if (x < nx && (y + j) < ny) buf[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * nx + x];
    __syncthreads();
    x = blockIdx.y * DIM + threadIdx.x;
    y = blockIdx.x * DIM + threadIdx.y;
    for (int j = 0; j < DIM; j += ROWS)
        if (x < ny && (y + j) < nx) out[(size_t)(y + j) * ny + x] = buf[threadIdx.x][threadIdx.y + j];
}

// BSHD to BHSD, a thread for each element
__global__ void permute0213(const float *in, float *out, int S, int H, int D, int total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int d = i % D;
    int h = (i / D) % H;
    int s = (i / (D * H)) % S;
    int b = i / (D * H * S);
    out[((b * H + h) * S + s) * D + d] = in[i];
}

__global__ void batched_matvec(const float *W, const float *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y;
    if (r >= rows) return;
    const float *w = W + ((size_t)b * rows + r) * cols;
    const float *v = x + b * cols;
    float acc = 0.f;
    for (int c = 0; c < cols; ++c) acc += w[c] * v[c];
    y[b * rows + r] = acc;
}

__global__ void add_bias_gelu(float *x, const float *bias, int cols)
{
    int row = blockIdx.x;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float v = x[row * cols + c] + bias[c];
        x[row * cols + c] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
    }
}

int main()
{
    float *A, *B, *C, *in, *out, *W, *x, *y, *h, *bias;
    double *di, *dout;
    int M = 800, N = 1200, K = 1000;
    cudaMalloc(&A, M * K * 4);
    cudaMalloc(&B, K * N * 4);
    cudaMalloc(&C, M * N * 4);
    dim3 blk(16, 16), grd((N + 15) / 16, (M + 15) / 16);
    gemm_tiled<float, 16><<<grd, blk>>>(A, B, C, M, N, K);
    cudaMalloc(&di, 2000 * 1800 * 8);
    cudaMalloc(&dout, 2000 * 1800 * 8);
    transpose_double<<<dim3((2000 + DIM - 1) / DIM, (1800 + DIM - 1) / DIM), dim3(DIM, ROWS)>>>(dout, di, 2000, 1800);
    int total = 4 * 256 * 12 * 64;
    cudaMalloc(&in, total * 4);
    cudaMalloc(&out, total * 4);
    permute0213<<<(total + 255) / 256, 256>>>(in, out, 256, 12, 64, total);
    cudaMalloc(&W, 16 * 512 * 300 * 4);
    cudaMalloc(&x, 16 * 300 * 4);
    cudaMalloc(&y, 16 * 512 * 4);
    batched_matvec<<<dim3(4, 16), 128>>>(W, x, y, 512, 300);
    cudaMalloc(&h, 2048 * 3072 * 4);
    cudaMalloc(&bias, 3072 * 4);
    add_bias_gelu<<<2048, 256>>>(h, bias, 3072);
    cudaDeviceSynchronize();
}
