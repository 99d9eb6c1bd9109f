#include <cuda_runtime.h>

__global__ void upscale_nearest(const float *src, float *dst, int sw, int sh)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 2 * sw || y >= 2 * sh) return;
    dst[y * 2 * sw + x] = src[(y / 2) * sw + x / 2];
}

__global__ void max_pool_3x3s2(const float *in, float *out, int H, int W, int OH, int OW)
{
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    int c = blockIdx.z;
    if (ox >= OW || oy >= OH) return;
    float best = -3.4e38f;
    for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx) {
            float v = in[(c * H + oy * 2 + dy) * W + ox * 2 + dx];
            best = v > best ? v : best;
        }
    out[(c * OH + oy) * OW + ox] = best;
}

__constant__ float weights[5][5];
__global__ void conv5x5_shared(const float *in, float *out, int w, int h)
{
    __shared__ float tile[20][20];
    int gx = blockIdx.x * 16 + threadIdx.x - 2;
    int gy = blockIdx.y * 16 + threadIdx.y - 2;
    gx = min(max(gx, 0), w - 1);
    gy = min(max(gy, 0), h - 1);
    tile[threadIdx.y][threadIdx.x] = in[gy * w + gx];
    __syncthreads();
    int ox = blockIdx.x * 16 + threadIdx.x, oy = blockIdx.y * 16 + threadIdx.y;
    if (threadIdx.x < 16 && threadIdx.y < 16 && ox < w && oy < h) {
        float s = 0.f;
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) s += weights[i][j] * tile[threadIdx.y + i][threadIdx.x + j];
        out[oy * w + ox] = s;
    }
}

__global__ void flip_horizontal(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + (w - 1 - x)] = in[y * w + x];
}

__global__ void pitched_add(const float *a, size_t pa, const float *b, size_t pb, float *c, size_t pc, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const float *ra = (const float *)((const char *)a + y * pa);
    const float *rb = (const float *)((const char *)b + y * pb);
    float *rc = (float *)((char *)c + y * pc);
    rc[x] = ra[x] + rb[x];
}

__global__ void conv_layer(const float *__restrict__ x, const float *__restrict__ k, float *__restrict__ y, int C, int H, int W, int M)
{
    int ow = W - 2, oh = H - 2;
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int m = blockIdx.y, n = blockIdx.z;
    if (px >= ow * oh) return;
    int r = px / ow, c = px % ow;
    float acc = 0.0f;
    for (int ch = 0; ch < C; ch++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                acc += x[((n * C + ch) * H + r + i) * W + c + j] * k[((m * C + ch) * 3 + i) * 3 + j];
    y[((n * M + m) * oh + r) * ow + c] = acc;
}

__global__ void batchnorm_nchw(const float *x, float *y, const float *scale, const float *shift, int C, int HW, int total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total) {
        int c = (i / HW) % C;
        y[i] = x[i] * scale[c] + shift[c];
    }
}

__global__ void threshold_inplace(unsigned char *img, int n, unsigned char t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && img[i] < t) img[i] = 0;
}

int main()
{
    float *s, *d, *a, *b, *c, *in, *out, *x, *k, *y, *sc, *sh;
    unsigned char *u, *v;
    size_t pa, pb, pc;
    cudaMalloc(&s, 640 * 480 * 4);
    cudaMalloc(&d, 1280 * 960 * 4);
    upscale_nearest<<<dim3(1280 / 16, 960 / 16), dim3(16, 16)>>>(s, d, 640, 480);
    cudaMalloc(&in, 64 * 113 * 113 * 4);
    cudaMalloc(&out, 64 * 56 * 56 * 4);
    max_pool_3x3s2<<<dim3(4, 7, 64), dim3(16, 8)>>>(in, out, 113, 113, 56, 56);
    conv5x5_shared<<<dim3(1280 / 16, 960 / 16), dim3(20, 20)>>>(d, d + 1, 1280, 960);
    cudaMalloc(&u, 4000 * 3000);
    cudaMalloc(&v, 4000 * 3000);
    flip_horizontal<<<dim3(125, 375), dim3(32, 8)>>>(u, v, 4000, 3000);
    cudaMallocPitch(&a, &pa, 1500 * sizeof(float), 1100);
    cudaMallocPitch(&b, &pb, 1500 * sizeof(float), 1100);
    cudaMallocPitch(&c, &pc, 1500 * sizeof(float), 1100);
    pitched_add<<<dim3((1500 + 31) / 32, (1100 + 7) / 8), dim3(32, 8)>>>(a, pa, b, pb, c, pc, 1500, 1100);
    cudaMalloc(&x, 8 * 16 * 66 * 66 * 4);
    cudaMalloc(&k, 24 * 16 * 9 * 4);
    cudaMalloc(&y, 8 * 24 * 64 * 64 * 4);
    conv_layer<<<dim3(16, 24, 8), 256>>>(x, k, y, 16, 66, 66, 24);
    cudaMalloc(&sc, 64 * 4);
    cudaMalloc(&sh, 64 * 4);
    float *bx, *by;
    cudaMalloc(&bx, 32 * 64 * 784 * 4);
    cudaMalloc(&by, 32 * 64 * 784 * 4);
    batchnorm_nchw<<<32 * 64 * 784 / 256, 256>>>(bx, by, sc, sh, 64, 784, 32 * 64 * 784);
    threshold_inplace<<<(12000000 + 255) / 256, 256>>>(u, 12000000, 100);
    cudaDeviceSynchronize();
}
