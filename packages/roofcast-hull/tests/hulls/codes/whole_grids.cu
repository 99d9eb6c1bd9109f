// Images, stencils and lattices on two- and three-dimensional grids, with borders guarded as people guard them.
#include <cuda_runtime.h>
#include <vector>

constexpr int WIDTH = 2048;
constexpr int HEIGHT = 1024;
constexpr int BLOCK_X = 32, BLOCK_Y = 8;
#define IDX(r, c, w) ((r) * (w) + (c))
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))

__constant__ float weights[5][5];

__global__ void jacobi(const float *__restrict__ u, float *__restrict__ v, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        v[y * w + x] = 0.25f * (u[(y - 1) * w + x] + u[(y + 1) * w + x] + u[y * w + x - 1] + u[y * w + x + 1]);
}

__global__ void filter5(const float *in, float *out, int width, int height) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= width || row >= height) return;
    float acc = 0.f;
    for (int i = -2; i <= 2; i++)
        for (int j = -2; j <= 2; j++) {
            int r = min(max(row + i, 0), height - 1);
            int c = min(max(col + j, 0), width - 1);
            acc += in[IDX(r, c, width)] * weights[i + 2][j + 2];
        }
    out[IDX(row, col, width)] = acc;
}

__global__ void grey(const uchar4 *rgba, unsigned char *out, int width, int height) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < width && r < height) {
        uchar4 p = rgba[r * width + c];
        out[r * width + c] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
    }
}

__global__ void transpose(const float *a, float *b, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) b[c * rows + r] = a[r * cols + c];
}

__global__ void laplace3(const double *u, double *v, int nx, int ny, int nz) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int j = threadIdx.y + blockIdx.y * blockDim.y;
    int k = threadIdx.z + blockIdx.z * blockDim.z;
    if (i < 1 || j < 1 || k < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
    int p = i + nx * (j + ny * k);
    v[p] = u[p - 1] + u[p + 1] + u[p - nx] + u[p + nx] + u[p - nx * ny] + u[p + nx * ny] - 6.0 * u[p];
}

__global__ void column_sums(const float *a, float *s, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        float sum = 0;
        for (int r = 0; r < rows; r++) sum += a[r * cols + c];
        s[c] = sum;
    }
}

__global__ void row_max(const float *a, float *s, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float best = a[r * cols];
    for (int c = 1; c < cols; c++) best = fmaxf(best, a[r * cols + c]);
    s[r] = best;
}

__global__ void add_bias(float *x, const float *bias, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y;
    if (c < cols) x[r * cols + c] += bias[c];
}

__global__ void downsample(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w / 2 && y < h / 2) {
        const float *p = in + (2 * y) * w + 2 * x;
        out[y * (w / 2) + x] = 0.25f * (p[0] + p[1] + p[w] + p[w + 1]);
    }
}

__global__ void gradient(const float *f, float *gx, float *gy, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 1 && x <= w - 2 && y >= 1 && y <= h - 2) {
        gx[y * w + x] = 0.5f * (f[y * w + x + 1] - f[y * w + x - 1]);
        gy[y * w + x] = 0.5f * (f[(y + 1) * w + x] - f[(y - 1) * w + x]);
    }
}

__global__ void threshold(const unsigned short *in, unsigned char *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        out[i] = in[i] > 1000 ? 255 : 0;
}

int main() {
    const int n = WIDTH * HEIGHT;
    float *a, *b, *c, *bias;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    cudaMalloc(&bias, WIDTH * sizeof(float));
    dim3 threads(BLOCK_X, BLOCK_Y);
    dim3 blocks((WIDTH + threads.x - 1) / threads.x, DIV_UP(HEIGHT, BLOCK_Y));
    jacobi<<<blocks, threads>>>(a, b, WIDTH, HEIGHT);
    filter5<<<blocks, threads>>>(a, b, WIDTH, HEIGHT);
    uchar4 *rgba;
    unsigned char *out;
    cudaMalloc((void **)&rgba, n * sizeof(uchar4));
    cudaMalloc((void **)&out, n);
    grey<<<blocks, threads>>>(rgba, out, WIDTH, HEIGHT);
    transpose<<<blocks, threads>>>(a, b, HEIGHT, WIDTH);
    const int nx = 256, ny = 256, nz = 128;
    double *u, *v;
    cudaMalloc(&u, sizeof(double) * nx * ny * nz);
    cudaMalloc(&v, sizeof(double) * nx * ny * nz);
    dim3 cube(32, 4, 2);
    laplace3<<<dim3(nx / 32, ny / 4, nz / 2), cube>>>(u, v, nx, ny, nz);
    column_sums<<<DIV_UP(WIDTH, 256), 256>>>(a, bias, HEIGHT, WIDTH);
    row_max<<<DIV_UP(HEIGHT, 128), 128>>>(a, bias, HEIGHT, WIDTH);
    add_bias<<<dim3(WIDTH / 256, HEIGHT), 256>>>(a, bias, HEIGHT, WIDTH);
    dim3 half(DIV_UP(WIDTH / 2, 16), DIV_UP(HEIGHT / 2, 16));
    downsample<<<half, dim3(16, 16)>>>(a, b, WIDTH, HEIGHT);
    gradient<<<blocks, threads>>>(a, b, c, WIDTH, HEIGHT);
    unsigned short *raw;
    cudaMalloc(&raw, n * sizeof(unsigned short));
    threshold<<<512, 256>>>(raw, out, n);
    cudaDeviceSynchronize();
    return 0;
}
