// Products, reductions through shared memory, rows and particles.
#include <cuda_runtime.h>
#define TILE 32
#define BLOCK 256

template <typename T>
__global__ void gemm(const T *A, const T *B, T *C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        T acc = 0;
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = acc;
    }
}

__global__ void gemm_tiled(const float *A, const float *B, float *C, int n) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float acc = 0.0f;
    for (int t = 0; t < n / TILE; t++) {
        As[ty][tx] = A[row * n + t * TILE + tx];
        Bs[ty][tx] = B[(t * TILE + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[row * n + col] = acc;
}

__global__ void matvec(const double *A, const double *x, double *y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        double s = 0.0;
        for (int c = 0; c < cols; c++) s += A[r * cols + c] * x[c];
        y[r] = s;
    }
}

__global__ void block_sums(const float *in, float *partial, int n) {
    __shared__ float s[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step >>= 1) {
        if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = s[0];
}

__global__ void batched(const float *A, const float *B, float *C, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, b = blockIdx.z;
    if (row < n && col < n) {
        float acc = 0.f;
        for (int k = 0; k < n; k++) acc += A[(b * n + row) * n + k] * B[(b * n + k) * n + col];
        C[(b * n + row) * n + col] = acc;
    }
}

__global__ void forces(const float4 *pos, float4 *acc, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float4 q = pos[j];
        float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
        float f = q.w * r * r * r;
        ax += f * dx;
        ay += f * dy;
        az += f * dz;
    }
    acc[i] = make_float4(ax, ay, az, 0.f);
}

__global__ void spmv(const int *ptr, const int *col, const float *val, const float *x, float *y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0;
        for (int k = ptr[r]; k < ptr[r + 1]; k++) s += val[k] * x[col[k]];
        y[r] = s;
    }
}

__global__ void ell(const int *col, const float *val, const float *x, float *y, int rows, int width) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0;
        for (int k = 0; k < width; k++) s += val[k * rows + r] * x[col[k * rows + r]];
        y[r] = s;
    }
}

__global__ void dots(const float *a, const float *b, const float *c, const float *d, float *out, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float p = 0, q = 0;
        for (int k = 0; k < cols; k++) {
            p += a[k * rows + r] * b[k * rows + r];
            q += c[k * rows + r] * d[k * rows + r];
        }
        out[r] = p + q;
    }
}

__global__ void scan_serial(float *x, int n) {
    for (int i = 1; i < n; i++) x[i] += x[i - 1];
}

int main() {
    const int n = 1024;
    float *A, *B, *C;
    size_t size = n * n * sizeof(float);
    cudaMalloc(&A, size);
    cudaMalloc(&B, size);
    cudaMalloc(&C, size);
    dim3 t(16, 16), g(n / t.x, n / t.y);
    gemm<float><<<g, t>>>(A, B, C, n, n, n);
    dim3 tiles(TILE, TILE);
    gemm_tiled<<<dim3(n / TILE, n / TILE), tiles>>>(A, B, C, n);
    double *D, *x, *y;
    cudaMalloc(&D, 4096 * 2048 * sizeof(double));
    cudaMalloc(&x, 2048 * sizeof(double));
    cudaMalloc(&y, 4096 * sizeof(double));
    matvec<<<4096 / 128, 128>>>(D, x, y, 4096, 2048);
    block_sums<<<n * n / BLOCK, BLOCK>>>(A, C, n * n);
    const int small = 64, batch = 128;
    batched<<<dim3(small / 16, small / 16, batch), t>>>(A, B, C, small);
    float4 *pos, *acc;
    int bodies = 16384;
    cudaMalloc(&pos, bodies * sizeof(float4));
    cudaMalloc(&acc, bodies * sizeof(float4));
    forces<<<bodies / 256, 256>>>(pos, acc, bodies);
    const int rows = 100000, nnz = 1600000;
    int *ptr, *col;
    float *val, *v, *w;
    cudaMalloc(&ptr, (rows + 1) * sizeof(int));
    cudaMalloc(&col, nnz * sizeof(int));
    cudaMalloc(&val, nnz * sizeof(float));
    cudaMalloc(&v, rows * sizeof(float));
    cudaMalloc(&w, rows * sizeof(float));
    spmv<<<(rows + 255) / 256, 256>>>(ptr, col, val, v, w, rows);
    ell<<<(rows + 255) / 256, 256>>>(col, val, v, w, rows, 16);
    dots<<<n / 256, 256>>>(A, B, A, B, C, n, n);
    scan_serial<<<1, 1>>>(A, n * n);
    return cudaDeviceSynchronize();
}
