// complex Ginzburg-Landau equation on a torus
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

constexpr int M = 512;
struct cf { float re, im; };
__device__ cf operator+(cf a, cf b) { return {a.re + b.re, a.im + b.im}; }
__device__ inline float norm2(cf a) { return a.re * a.re + a.im * a.im; }

__global__ void cgle_step(const cf *A, cf *B, float dt, float inv_h2, float c1, float c3)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    int xl = (x + M - 1) & (M - 1), xr = (x + 1) & (M - 1);
    int yu = (y + M - 1) & (M - 1), yd = (y + 1) & (M - 1);
    cf a = A[y * M + x];
    cf s = A[y * M + xl] + A[y * M + xr] + A[yu * M + x] + A[yd * M + x];
    float lr = (s.re - 4.f * a.re) * inv_h2, li = (s.im - 4.f * a.im) * inv_h2;
    float m = norm2(a);
    float nr = m * (a.re - c3 * a.im), ni = m * (a.im + c3 * a.re);
    cf out;
    out.re = a.re + dt * (a.re + (lr - c1 * li) - nr);
    out.im = a.im + dt * (a.im + (li + c1 * lr) - ni);
    B[y * M + x] = out;
}

__global__ void amplitude_histogram(const cf *A, unsigned *hist, float scale)
{
    __shared__ unsigned bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M * M; i += blockDim.x * gridDim.x) {
        int b = (int)(sqrtf(norm2(A[i])) * scale);
        atomicAdd(&bins[min(b, 63)], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&hist[threadIdx.x], bins[threadIdx.x]);
}

int main()
{
    cf *a, *b;
    unsigned *h;
    cudaMallocManaged(&a, M * M * sizeof(cf));
    cudaMallocManaged(&b, M * M * sizeof(cf));
    cudaMallocManaged(&h, 64 * sizeof(unsigned));
    for (int i = 0; i < M * M; i++) a[i] = {0.4f * sinf(i * .013f), 0.4f * cosf(i * .0071f)};
    for (int i = 0; i < 64; i++) h[i] = 0;
    dim3 t(16, 16), g(M / 16, M / 16);
    for (int k = 0; k < 10; k++) {
        cgle_step<<<g, t>>>(a, b, 0.01f, 1.f, 1.5f, -0.8f);
        cgle_step<<<g, t>>>(b, a, 0.01f, 1.f, 1.5f, -0.8f);
    }
    amplitude_histogram<<<64, 256>>>(a, h, 50.f);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; i += 8) printf("%u ", h[i]);
    puts("");
}
