// Kernels on images, boxes and descriptors, each with its launch.
#include <cuda_runtime.h>
#include <stdint.h>

#define WIDTH 1920
#define HEIGHT 1080
#define ATOMS 1000
#define SORT2(a, b) { float t_ = fminf(a, b); b = fmaxf(a, b); a = t_; }

__constant__ float4 atoms[ATOMS];
__constant__ float spatial[5][5];

__global__ void coulomb(float *energy, float spacing, int side) {
    int xi = blockIdx.x * blockDim.x + threadIdx.x;
    int yi = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = spacing * (float)xi;
    float cy = spacing * (float)yi;
    float sum = 0.0f;
    for (int a = 0; a < ATOMS; a++) {
        float dx = cx - atoms[a].x;
        float dy = cy - atoms[a].y;
        sum += atoms[a].w * rsqrtf(dx * dx + dy * dy + atoms[a].z);
    }
    energy[yi * side + xi] += sum;
}

__global__ void median3x3(const float *__restrict__ src, float *__restrict__ dst, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    float p[9];
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) p[dy * 3 + dx] = src[(y + dy - 1) * width + x + dx - 1];
    SORT2(p[1], p[2]) SORT2(p[4], p[5]) SORT2(p[7], p[8])
    SORT2(p[0], p[1]) SORT2(p[3], p[4]) SORT2(p[6], p[7])
    SORT2(p[1], p[2]) SORT2(p[4], p[5]) SORT2(p[7], p[8])
    SORT2(p[0], p[3]) SORT2(p[5], p[8]) SORT2(p[4], p[7])
    SORT2(p[3], p[6]) SORT2(p[1], p[4]) SORT2(p[2], p[5])
    SORT2(p[4], p[7]) SORT2(p[4], p[2]) SORT2(p[6], p[4])
    SORT2(p[4], p[2])
    dst[y * width + x] = p[4];
}

__global__ void im2col(const float *data, float *col, int channels, int height, int width) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= channels * height * width) return;
    int w = index % width;
    int h = (index / width) % height;
    int c = index / (width * height);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int row = h + i - 1, column = w + j - 1;
            float v = (row >= 0 && row < height && column >= 0 && column < width)
                          ? data[(c * height + row) * width + column] : 0.0f;
            col[((c * 9 + i * 3 + j) * height + h) * width + w] = v;
        }
    }
}

__global__ void box_mean(const int *integral, float *mean, int width, int height, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= r || y <= r || x + r >= width || y + r >= height) return;
    int top = (y - r - 1) * width, bottom = (y + r) * width;
    int sum = integral[bottom + x + r] - integral[bottom + x - r - 1] - integral[top + x + r] + integral[top + x - r - 1];
    mean[y * width + x] = sum * (1.0f / 81.0f);
}

__global__ void bilateral(const float *in, float *out, int width, int height, float falloff) {
    const int x = threadIdx.x + blockIdx.x * blockDim.x;
    const int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= 2 && x < width - 2 && y >= 2 && y < height - 2) {
        const float centre = in[y * width + x];
        float sum = 0.f, norm = 0.f;
#pragma unroll
        for (int dy = -2; dy <= 2; ++dy) {
#pragma unroll
            for (int dx = -2; dx <= 2; ++dx) {
                const float v = in[(y + dy) * width + (x + dx)];
                const float d = v - centre;
                const float w = spatial[dy + 2][dx + 2] * __expf(d * d * falloff);
                sum += w * v;
                norm += w;
            }
        }
        out[y * width + x] = sum / norm;
    }
}

__device__ inline float box_area(float4 b) { return (b.z - b.x) * (b.w - b.y); }

__device__ inline float overlap(float4 a, float4 b) {
    float left = fmaxf(a.x, b.x), right = fminf(a.z, b.z);
    float top = fmaxf(a.y, b.y), bottom = fminf(a.w, b.w);
    float both = fmaxf(right - left, 0.f) * fmaxf(bottom - top, 0.f);
    return both / (box_area(a) + box_area(b) - both);
}

__global__ void iou_matrix(const float4 *first, const float4 *second, float *iou, int n, int m) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < m) iou[i * m + j] = overlap(first[i], second[j]);
}

template <typename scalar_t>
__global__ void to_channels_last(const scalar_t *x, scalar_t *y, int n, int c, int hw) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= n * c * hw) return;
    int p = index % hw;
    int ch = (index / hw) % c;
    int b = index / (hw * c);
    y[(b * hw + p) * c + ch] = x[index];
}

__global__ void match_descriptors(const uint32_t *query, const uint32_t *train, int *best, int *distance, int nq, int nt) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= nq) return;
    int least = 1 << 30, at = -1;
    for (int t = 0; t < nt; t++) {
        int d = 0;
        for (int k = 0; k < 8; k++) d += __popc(query[q * 8 + k] ^ train[t * 8 + k]);
        if (d < least) {
            least = d;
            at = t;
        }
    }
    best[q] = at;
    distance[q] = least;
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 64 << 20);
    cudaMalloc(&b, 64 << 20);
    dim3 block(16, 16);
    dim3 grid((WIDTH + 15) / 16, (HEIGHT + 15) / 16);
    coulomb<<<dim3(32, 32), block>>>(a, 0.1f, 512);
    median3x3<<<grid, block>>>(a, b, WIDTH, HEIGHT);
    im2col<<<(16 * 56 * 56 + 255) / 256, 256>>>(a, b, 16, 56, 56);
    int *whole;
    cudaMalloc(&whole, WIDTH * HEIGHT * sizeof(int));
    box_mean<<<grid, block>>>(whole, b, WIDTH, HEIGHT, 4);
    bilateral<<<grid, block>>>(a, b, WIDTH, HEIGHT, -0.02f);
    float4 *first, *second;
    cudaMalloc(&first, 2000 * sizeof(float4));
    cudaMalloc(&second, 500 * sizeof(float4));
    iou_matrix<<<dim3((500 + 31) / 32, (2000 + 7) / 8), dim3(32, 8)>>>(first, second, b, 2000, 500);
    const int total = 8 * 64 * 56 * 56;
    to_channels_last<float><<<(total + 255) / 256, 256>>>(a, b, 8, 64, 56 * 56);
    uint32_t *query, *train;
    int *best, *distance;
    cudaMalloc(&query, 4096 * 32);
    cudaMalloc(&train, 2048 * 32);
    cudaMalloc(&best, 4096 * sizeof(int));
    cudaMalloc(&distance, 4096 * sizeof(int));
    match_descriptors<<<4096 / 128, 128>>>(query, train, best, distance, 4096, 2048);
    cudaDeviceSynchronize();
    return 0;
}
