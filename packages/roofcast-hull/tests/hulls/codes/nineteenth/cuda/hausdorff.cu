// Directed Hausdorff distance from one cloud of points to another
#include <cstdio>
#include <cfloat>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

struct Point { float x, y, z; };
const int NA = 8192, NB = 4096, CHUNK = 128;

__global__ void nearest_d2(const Point *A, const Point *B, float *d2)
{
    __shared__ Point tile[CHUNK];
    Point p = A[blockIdx.x * CHUNK + threadIdx.x];
    float best = FLT_MAX;
    for (int b0 = 0; b0 < NB; b0 += CHUNK) {
        tile[threadIdx.x] = B[b0 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < CHUNK; k++) {
            float dx = p.x - tile[k].x, dy = p.y - tile[k].y, dz = p.z - tile[k].z;
            best = fminf(best, dx * dx + dy * dy + dz * dz);
        }
        __syncthreads();
    }
    d2[blockIdx.x * CHUNK + threadIdx.x] = best;
}

__global__ void farthest(const float *d2, float *dist)
{
    __shared__ float s[512];
    float m = 0.f;
    for (int i = threadIdx.x; i < NA; i += 512) m = fmaxf(m, d2[i]);
    s[threadIdx.x] = m;
    for (int k = 256; k > 0; k >>= 1) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
    }
    if (threadIdx.x == 0) *dist = sqrtf(s[0]);
}

int main()
{
    std::vector<Point> a(NA), b(NB);
    for (int i = 0; i < NA; i++) a[i] = {cosf(i * .01f), sinf(i * .01f), i * 1e-4f};
    for (int i = 0; i < NB; i++) b[i] = {1.1f * cosf(i * .02f), sinf(i * .02f), i * 2e-4f};
    Point *A, *B;
    float *d2, *d, r;
    cudaMalloc(&A, sizeof(Point) * NA);
    cudaMalloc(&B, sizeof(Point) * NB);
    cudaMalloc(&d2, sizeof(float) * NA);
    cudaMalloc(&d, sizeof(float));
    cudaMemcpy(A, a.data(), sizeof(Point) * NA, cudaMemcpyHostToDevice);
    cudaMemcpy(B, b.data(), sizeof(Point) * NB, cudaMemcpyHostToDevice);
    nearest_d2<<<NA / CHUNK, CHUNK>>>(A, B, d2);
    farthest<<<1, 512>>>(d2, d);
    cudaMemcpy(&r, d, 4, cudaMemcpyDeviceToHost);
    printf("%f\n", r);
}
