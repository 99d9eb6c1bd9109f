#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t err_ = (call);                                                    \
        if (err_ != cudaSuccess) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
            exit(EXIT_FAILURE);                                                       \
        }                                                                             \
    } while (0)

template <int BLOCK>
__device__ float block_sum(float v)
{
    __shared__ float warp_part[BLOCK / 32];
    __shared__ float total;
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0) warp_part[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        float t = 0.0f;
        for (int w = 0; w < BLOCK / 32; ++w) t += warp_part[w];
        total = t;
    }
    __syncthreads();
    return total;
}

template <int BLOCK>
__global__ void rmsnorm_rows(float* y, const float* x, const float* weight, int width, float eps)
{
    const float* in = x + (long)blockIdx.x * width;
    float* res = y + (long)blockIdx.x * width;
    float squares = 0.0f;
    for (int c = threadIdx.x; c < width; c += BLOCK) squares += in[c] * in[c];
    const float scale = rsqrtf(block_sum<BLOCK>(squares) / width + eps);
    for (int c = threadIdx.x; c < width; c += BLOCK) res[c] = in[c] * scale * weight[c];
}

int main(void)
{
    const int rows = 2048, width = 1536;
    float *x, *w, *y;
    CHECK(cudaMalloc((void**)&x, rows * width * sizeof(float)));
    CHECK(cudaMalloc((void**)&y, rows * width * sizeof(float)));
    CHECK(cudaMalloc((void**)&w, width * sizeof(float)));
    float* h = (float*)malloc(rows * width * sizeof(float));
    for (int i = 0; i < rows * width; ++i) h[i] = (float)(i % 97) / 97.0f;
    CHECK(cudaMemcpy(x, h, rows * width * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(w, h, width * sizeof(float), cudaMemcpyHostToDevice));
    rmsnorm_rows<192><<<rows, 192>>>(y, x, w, width, 1e-6f);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, y, rows * width * sizeof(float), cudaMemcpyDeviceToHost));
    printf("first %g\n", h[0]);
    free(h);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(w));
    return 0;
}
