// Squared distances of all queries to all references, with tiles in shared memory.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#define T 16
#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

__global__ void squared_distances(const float *query, const float *reference, float *out, int nq, int nr, int dim)
{
    __shared__ float qs[T][T];
    __shared__ float rs[T][T + 1];
    int q = blockIdx.y * T + threadIdx.y;
    int r = blockIdx.x * T + threadIdx.x;
    float sum = 0.0f;
    for (int d = 0; d < dim; d += T) {
        qs[threadIdx.y][threadIdx.x] = query[q * dim + d + threadIdx.x];
        rs[threadIdx.y][threadIdx.x] = reference[(blockIdx.x * T + threadIdx.y) * dim + d + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < T; k++) {
            float diff = qs[threadIdx.y][k] - rs[threadIdx.x][k];
            sum += diff * diff;
        }
        __syncthreads();
    }
    out[q * nr + r] = sum;
}

int main(void)
{
    int nq = 512, nr = 2048, dim = 96;
    float *q, *r, *o;
    gpuErrchk(cudaMalloc(&q, nq * dim * sizeof(float)));
    gpuErrchk(cudaMalloc(&r, nr * dim * sizeof(float)));
    gpuErrchk(cudaMalloc(&o, nq * nr * sizeof(float)));
    squared_distances<<<dim3(nr / T, nq / T), dim3(T, T)>>>(q, r, o, nq, nr, dim);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaDeviceSynchronize());
    return 0;
}
