// Matrix-vector product with a 2:4 structured-sparse matrix: two of four columns kept, two index bits for each value.
// Blind set: class by hand; operations counted in Python for one group of four columns.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define M 16384
#define K 16384
#define WORDS (K / 32)            // metadata words in a row, each for 16 values (32 columns)

#define CK(c) do { cudaError_t r = (c); if (r != cudaSuccess) { \
    fprintf(stderr, "%s (%d): %s\n", #c, __LINE__, cudaGetErrorString(r)); return 2; } } while (0)

__global__ void spmv_2to4(const __half *__restrict__ values, const uint32_t *__restrict__ meta,
                          const float *__restrict__ x, float *__restrict__ y)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (warp >= M) return;

    const __half *v = values + (size_t)warp * (K / 2);
    const uint32_t *m = meta + (size_t)warp * WORDS;

    float acc = 0.f;
    for (int w = lane; w < WORDS; w += 32) {
        const uint32_t bits = m[w];
        const float *xs = x + w * 32;
        #pragma unroll
        for (int g = 0; g < 8; ++g) {
            const int i0 = (bits >> (4 * g)) & 3;
            const int i1 = (bits >> (4 * g + 2)) & 3;
            const float v0 = __half2float(v[w * 16 + 2 * g]);
            const float v1 = __half2float(v[w * 16 + 2 * g + 1]);
            acc += v0 * xs[4 * g + i0];
            acc += v1 * xs[4 * g + i1];
        }
    }
    for (int off = 16; off; off /= 2) acc += __shfl_down_sync(0xffffffff, acc, off);
    if (lane == 0) y[warp] = acc;
}

__global__ void setup(__half *values, uint32_t *meta, float *x)
{
    const size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = t; i < (size_t)M * (K / 2); i += step) values[i] = __float2half(0.01f * (int)(i % 23) - 0.1f);
    for (size_t i = t; i < (size_t)M * WORDS; i += step) meta[i] = (i & 1) ? 0x4e4e9898u : 0xdddd8484u;
    for (size_t i = t; i < K; i += step) x[i] = 1.0f / (1 + i % 50);
}

int main()
{
    __half *values; uint32_t *meta; float *x, *y;
    CK(cudaMalloc(&values, (size_t)M * (K / 2) * sizeof(__half)));
    CK(cudaMalloc(&meta, (size_t)M * WORDS * sizeof(uint32_t)));
    CK(cudaMalloc(&x, K * sizeof(float)));
    CK(cudaMalloc(&y, M * sizeof(float)));
    setup<<<2048, 256>>>(values, meta, x);
    CK(cudaGetLastError());

    const int threads = 256;
    for (int i = 0; i < 10; ++i)
        spmv_2to4<<<(M * 32 + threads - 1) / threads, threads>>>(values, meta, x, y);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    float y0;
    CK(cudaMemcpy(&y0, y, sizeof y0, cudaMemcpyDeviceToHost));
    printf("y[0] = %f\n", y0);
    cudaFree(values); cudaFree(meta); cudaFree(x); cudaFree(y);
    return 0;
}
