// Scalar products of many pairs of vectors, a block each.
#include <cuda_runtime.h>

#define ACCUM_N 256
const int VECTOR_N = 256;
const int ELEMENT_N = 4096;

__global__ void scalar_prod(float *d_C, const float *d_A, const float *d_B, int vectorN, int elementN)
{
    __shared__ float accum[ACCUM_N];
    for (int vec = blockIdx.x; vec < vectorN; vec += gridDim.x) {
        const float *a = d_A + vec * elementN;
        const float *b = d_B + vec * elementN;
        for (int i = threadIdx.x; i < ACCUM_N; i += blockDim.x) {
            float sum = 0;
            for (int pos = i; pos < elementN; pos += ACCUM_N) sum += a[pos] * b[pos];
            accum[i] = sum;
        }
        for (int stride = ACCUM_N / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            for (int i = threadIdx.x; i < stride; i += blockDim.x) accum[i] += accum[stride + i];
        }
        __syncthreads();
        if (threadIdx.x == 0) d_C[vec] = accum[0];
        __syncthreads();
    }
}

int main()
{
    float *a, *b, *c;
    cudaMalloc((void **)&a, VECTOR_N * ELEMENT_N * sizeof(float));
    cudaMalloc((void **)&b, VECTOR_N * ELEMENT_N * sizeof(float));
    cudaMalloc((void **)&c, VECTOR_N * sizeof(float));
    scalar_prod<<<128, 256>>>(c, a, b, VECTOR_N, ELEMENT_N);
    cudaDeviceSynchronize();
    return 0;
}
