// A small map-and-fold with functors; here: the worst relative error of a block of a solution
#include <cstdio>
#include <cstdlib>
#include <cmath>

struct RelativeError {
    double tiny;
    __device__ double operator()(double got, double want) const { return fabs(got - want) / (fabs(want) + tiny); }
};
struct Larger { __device__ double operator()(double a, double b) const { return a > b ? a : b; } };

template <int BLOCK, int ITEMS, class Map, class Fold>
__global__ void fold_blocks(const double *a, const double *b, double *out, Map map, Fold fold)
{
    __shared__ double sh[BLOCK];
    const size_t base = (size_t)blockIdx.x * BLOCK * ITEMS + threadIdx.x;
    double best = map(a[base], b[base]);
#pragma unroll
    for (int k = 1; k < ITEMS; k++)
        best = fold(best, map(a[base + k * BLOCK], b[base + k * BLOCK]));
    sh[threadIdx.x] = best;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) sh[threadIdx.x] = fold(sh[threadIdx.x], sh[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sh[0];
}

int main()
{
    constexpr int BLOCK = 128, ITEMS = 32, BLOCKS = 1024;
    const size_t n = (size_t)BLOCK * ITEMS * BLOCKS;
    double *ha = (double *)malloc(n * sizeof(double)), *a, *b, *out, res[BLOCKS];
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&out, BLOCKS * sizeof(double));
    for (size_t i = 0; i < n; i++) ha[i] = sin(1e-3 * i);
    cudaMemcpy(a, ha, n * sizeof(double), cudaMemcpyHostToDevice);
    for (size_t i = 0; i < n; i++) ha[i] *= 1.0 + 1e-9 * (i % 13);
    cudaMemcpy(b, ha, n * sizeof(double), cudaMemcpyHostToDevice);
    fold_blocks<BLOCK, ITEMS><<<BLOCKS, BLOCK>>>(a, b, out, RelativeError{1e-300}, Larger{});
    cudaMemcpy(res, out, sizeof res, cudaMemcpyDeviceToHost);
    printf("%g\n", res[0]);
    free(ha);
}
