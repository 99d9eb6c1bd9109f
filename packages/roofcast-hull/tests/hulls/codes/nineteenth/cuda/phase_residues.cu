/* InSAR: residues and a quality map of a wrapped interferogram */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static const int W = 1024, H = 1024;
#define TWO_PI 6.28318530718f
#define INV_TWO_PI 0.15915494309f
#define TILE 16

__device__ inline float wrap(float d) { return d - TWO_PI * rintf(d * INV_TWO_PI); }

__global__ void residues(const float *phi, signed char *res)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W - 1 && y < H - 1) {
        const float *p = phi + y * W + x;
        float a = p[0], b = p[1], c = p[W + 1], d = p[W];
        float loop = wrap(b - a) + wrap(c - b) + wrap(d - c) + wrap(a - d);
        res[y * (W - 1) + x] = (signed char)rintf(loop * INV_TWO_PI);
    }
}

__global__ void roughness(const float *phi, float *q)
{
    __shared__ float s[TILE + 2][TILE + 2];
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    for (int k = threadIdx.y * TILE + threadIdx.x; k < (TILE + 2) * (TILE + 2); k += TILE * TILE) {
        int ly = k / (TILE + 2), lx = k % (TILE + 2);
        int gx = min(max(x0 + lx - 1, 0), W - 1), gy = min(max(y0 + ly - 1, 0), H - 1);
        s[ly][lx] = phi[gy * W + gx];
    }
    __syncthreads();
    float mid = s[threadIdx.y + 1][threadIdx.x + 1], worst = 0.f;
#pragma unroll
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            worst = fmaxf(worst, fabsf(wrap(s[threadIdx.y + j][threadIdx.x + i] - mid)));
    q[(y0 + threadIdx.y) * W + x0 + threadIdx.x] = worst;
}

int main()
{
    float *phi, *q;
    signed char *res;
    cudaMallocManaged(&phi, W * H * sizeof(float));
    cudaMallocManaged(&q, W * H * sizeof(float));
    cudaMallocManaged(&res, (W - 1) * (H - 1));
    srand(3);
    for (int i = 0; i < W * H; i++) phi[i] = (rand() / (float)RAND_MAX - 0.5f) * TWO_PI;
    dim3 b(TILE, TILE), g(W / TILE, H / TILE);
    residues<<<g, b>>>(phi, res);
    roughness<<<g, b>>>(phi, q);
    cudaDeviceSynchronize();
    int plus = 0;
    for (int i = 0; i < (W - 1) * (H - 1); i++) plus += res[i] > 0;
    printf("%d positive residues, roughness %f\n", plus, q[W * H / 2]);
}
