// Blocks that work together: tiles in shared memory, trees, warps, sorting; and linear algebra around them.
#include <cuda_runtime.h>
#include <cufft.h>

#define TILE_DIM 32
#define BLOCK_ROWS 8
#define RADIUS 3
#define BLOCK_SIZE 256
enum { M = 1024, N = 2048 };

__global__ void transpose_tile(float *out, const float *in, int width, int height) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <int T>
__global__ void product_tile(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float sa[T][T], sb[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0.f;
    for (int p = 0; p < k; p += T) {
        sa[threadIdx.y][threadIdx.x] = a[row * k + p + threadIdx.x];
        sb[threadIdx.y][threadIdx.x] = b[(p + threadIdx.y) * n + col];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < T; i++) sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void stencil_halo(const float *in, float *out, int n) {
    __shared__ float temp[BLOCK_SIZE + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
    int l = threadIdx.x + RADIUS;
    temp[l] = in[g];
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = in[g - RADIUS];
        temp[l + BLOCK_SIZE] = in[g + BLOCK_SIZE];
    }
    __syncthreads();
    float result = 0.f;
    for (int o = -RADIUS; o <= RADIUS; o++) result += temp[l + o];
    out[g] = result;
}

__global__ void warp_sums(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0.f;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

__global__ void block_histogram(const unsigned char *data, unsigned int *bins, int n) {
    __shared__ unsigned int local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void scan_block(const int *in, int *out, int n) {
    __shared__ int temp[BLOCK_SIZE];
    int t = threadIdx.x, i = blockIdx.x * BLOCK_SIZE + t;
    temp[t] = in[i];
    __syncthreads();
    for (int offset = 1; offset < BLOCK_SIZE; offset *= 2) {
        int v = t >= offset ? temp[t - offset] : 0;
        __syncthreads();
        temp[t] += v;
        __syncthreads();
    }
    out[i] = temp[t];
}

__global__ void bitonic_step(float *keys, int j, int k) {
    unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
    unsigned int partner = i ^ j;
    if (partner > i) {
        bool up = (i & k) == 0;
        if ((keys[i] > keys[partner]) == up) {
            float t = keys[i];
            keys[i] = keys[partner];
            keys[partner] = t;
        }
    }
}

__global__ void rank_one(float *a, const float *x, const float *y, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < cols && r < rows) a[r * cols + c] -= x[r] * y[c];
}

__global__ void left_vector(const float *a, const float *x, float *y, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        float s = 0.0f;
        for (int r = 0; r < rows; r++) s += x[r] * a[r * cols + c];
        y[c] = s;
    }
}

__global__ void two_products(const float *a, const float *b, const float *x, float *y, float alpha, float beta, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float p = 0.f, q = 0.f;
    for (int j = 0; j < n; j++) {
        p += a[i * n + j] * x[j];
        q += b[i * n + j] * x[j];
    }
    y[i] = alpha * p + beta * q;
}

__global__ void self_product(const float *a, float *c, float alpha, float beta, int n, int m) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        float s = beta * c[i * n + j];
        for (int k = 0; k < m; k++) s += alpha * a[i * m + k] * a[j * m + k];
        c[i * n + j] = s;
    }
}

__global__ void centre_columns(float *data, const float *mean, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) data[row * cols + col] -= mean[col];
}

__global__ void __launch_bounds__(BLOCK_SIZE) butterflies(const float2 *in, float2 *out, int half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < half) {
        float2 u = in[i], v = in[i + half];
        out[2 * i] = make_float2(u.x + v.x, u.y + v.y);
        out[2 * i + 1] = make_float2(u.x - v.x, u.y - v.y);
    }
}

int main(int argc, char *argv[]) {
    const int count = M * N;
    float *a, *b, *c;
    cudaMalloc(&a, count * sizeof(float));
    cudaMalloc(&b, count * sizeof(float));
    cudaMalloc(&c, count * sizeof(float));
    transpose_tile<<<dim3(N / TILE_DIM, M / TILE_DIM), dim3(TILE_DIM, BLOCK_ROWS)>>>(c, a, N, M);
    dim3 threads(16, 16);
    product_tile<16><<<dim3(M / 16, M / 16), threads>>>(a, b, c, M, M, M);
    const int inner = 1 << 20;
    float *line, *smooth;
    cudaMalloc(&line, (inner + 2 * RADIUS) * sizeof(float));
    cudaMalloc(&smooth, (inner + 2 * RADIUS) * sizeof(float));
    stencil_halo<<<inner / BLOCK_SIZE, BLOCK_SIZE>>>(line, smooth, inner);
    warp_sums<<<inner / 256, 256>>>(a, c, inner);
    unsigned char *bytes;
    unsigned int *bins;
    cudaMalloc(&bytes, inner);
    cudaMalloc(&bins, 256 * sizeof(unsigned int));
    block_histogram<<<128, 256>>>(bytes, bins, inner);
    int *in, *out;
    cudaMalloc(&in, inner * sizeof(int));
    cudaMalloc(&out, inner * sizeof(int));
    scan_block<<<inner / BLOCK_SIZE, BLOCK_SIZE>>>(in, out, inner);
    for (int k = 2; k <= inner; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) bitonic_step<<<inner / 512, 512>>>(a, j, k);
    dim3 grid((N + 15) / 16, (M + 15) / 16);
    rank_one<<<grid, threads>>>(a, b, c, M, N);
    left_vector<<<N / 128, 128>>>(a, b, c, M, N);
    two_products<<<M / 128, 128>>>(a, b, line, c, 1.5f, 2.5f, M);
    self_product<<<dim3(M / 16, M / 16), threads>>>(a, c, 2.f, 3.f, M, N);
    centre_columns<<<grid, threads>>>(a, b, M, N);
    float2 *signal, *spectrum;
    cudaMalloc(&signal, inner * sizeof(float2));
    cudaMalloc(&spectrum, inner * sizeof(float2));
    butterflies<<<inner / 2 / BLOCK_SIZE, BLOCK_SIZE>>>(signal, spectrum, inner / 2);
    return 0;
}
