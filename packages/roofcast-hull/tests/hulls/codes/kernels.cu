// Kernels as textbooks write them. Sizes come with the launch.
#define TILE 16
#define RADIUS 4

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void scale_stride(int n, float a, float *x) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        x[i] *= a;
}

__global__ void stencil_shared(const float *in, float *out, int n) {
    __shared__ float part[256 + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
    int l = threadIdx.x + RADIUS;
    part[l] = in[g];
    if (threadIdx.x < RADIUS) {
        part[l - RADIUS] = in[g - RADIUS];
        part[l + 256] = in[g + 256];
    }
    __syncthreads();
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += part[l + k];
    out[g] = sum;
}

__global__ void matmul_tiled(const float *A, const float *B, float *C, int n) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int m = 0; m < n / TILE; ++m) {
        a[threadIdx.y][threadIdx.x] = A[row * n + m * TILE + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = B[(m * TILE + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

__global__ void transpose_shared(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;
    out[ty * height + tx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void sum_blocks(const float *in, float *out, int n) {
    __shared__ float s[256];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    s[t] = in[i];
    __syncthreads();
    for (unsigned step = 128; step > 0; step >>= 1) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void histogram_atomic(const unsigned char *data, unsigned *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1u);
}

__global__ void warp_sum(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? in[i] : 0;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

template <typename Scalar>
__global__ void fill(Scalar *x, Scalar value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}
