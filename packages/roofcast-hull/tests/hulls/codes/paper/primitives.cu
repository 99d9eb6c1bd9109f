// One kernel for each primitive that the table of classes names.
#include <cuda_runtime.h>

#define N 2048
#define SMALL 512

__global__ void binarise(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] > 0.5f ? 1.0f : 0.0f;
}

__global__ void mirror(const float *in, float *out)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * N + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(y + k) * N + x] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void scale_down(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) sum += in[(4 * y + a) * N + 4 * x + b];
    out[y * SMALL + x] = sum / 16.0f;
}

__constant__ float basis[64];

__global__ void dct(const float *in, float *out)
{
    __shared__ float tile[8][8];
    int u = threadIdx.y, v = threadIdx.x;
    int y = blockIdx.y * 8 + u, x = blockIdx.x * 8 + v;
    tile[u][v] = in[y * N + x];
    __syncthreads();
    float sum = 0.0f;
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) sum += basis[u * 8 + a] * basis[v * 8 + b] * tile[a][b];
    out[y * N + x] = sum;
}

__global__ void enlarge(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float pixel = in[y * SMALL + x];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) out[(4 * y + a) * N + 4 * x + b] = pixel;
}

__constant__ float weight[49];

__global__ void convolve(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 3 && x < N - 3 && y >= 3 && y < N - 3) {
        float sum = 0.0f;
        for (int a = 0; a < 7; a++)
            for (int b = 0; b < 7; b++) sum += weight[a * 7 + b] * in[(y + a - 3) * N + x + b - 3];
        out[y * N + x] = sum;
    }
}

__global__ void convolve_rows(const float *in, const float *taps, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < 2 || x >= N - 2) return;
    float sum = 0.0f;
    for (int b = 0; b < 5; b++) sum += taps[b] * in[y * N + x + b - 2];
    out[y * N + x] = sum;
}

__global__ void sum_all(const float *in, float *out, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    atomicAdd(out, sum);
}

__global__ void difference(const float *a, const float *b, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = fabsf(a[i] - b[i]);
}

__global__ void multiply(const float *a, const float *b, float *c)
{
    __shared__ float as[16][16], bs[16][16];
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int t = 0; t < 512; t += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * 512 + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * 256 + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * 256 + col] = sum;
}

int main()
{
    float *big, *other, *out, *small, *taps, *one, *a, *b, *c;
    cudaMalloc(&big, sizeof(float) * N * N);
    cudaMalloc(&other, sizeof(float) * N * N);
    cudaMalloc(&out, sizeof(float) * N * N);
    cudaMalloc(&small, sizeof(float) * SMALL * SMALL);
    cudaMalloc(&taps, sizeof(float) * 5);
    cudaMalloc(&one, sizeof(float));
    cudaMalloc(&a, sizeof(float) * 1024 * 512);
    cudaMalloc(&b, sizeof(float) * 512 * 256);
    cudaMalloc(&c, sizeof(float) * 1024 * 256);
    dim3 block(16, 16), grid(N / 16, N / 16);
    binarise<<<N * N / 256, 256>>>(big, out);
    mirror<<<dim3(N / 32, N / 32), dim3(32, 8)>>>(big, out);
    scale_down<<<dim3(SMALL / 16, SMALL / 16), block>>>(big, small);
    dct<<<dim3(N / 8, N / 8), dim3(8, 8)>>>(big, out);
    enlarge<<<dim3(SMALL / 16, SMALL / 16), block>>>(small, out);
    convolve<<<grid, block>>>(big, out);
    convolve_rows<<<dim3(N / 256, N), 256>>>(big, taps, out);
    sum_all<<<256, 256>>>(big, one, N * N);
    difference<<<N * N / 256, 256>>>(big, other, out);
    multiply<<<dim3(256 / 16, 1024 / 16), block>>>(a, b, c);
    cudaDeviceSynchronize();
    return 0;
}
