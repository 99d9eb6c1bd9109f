#include <cuda_runtime.h>
#include <math.h>

#define SEQ 256
#define DIM 64
#define HEADS 8

// one thread for each query, softmax kept running over the keys
__global__ void attention(const float *q, const float *k, const float *v, float *o, float scale)
{
    int query = blockIdx.x * blockDim.x + threadIdx.x;
    int base = blockIdx.y * SEQ * DIM;
    float mine[DIM], acc[DIM];
    for (int d = 0; d < DIM; d++) {
        mine[d] = q[base + query * DIM + d];
        acc[d] = 0.f;
    }
    float m = -INFINITY, l = 0.f;
    for (int t = 0; t < SEQ; t++) {
        float s = 0.f;
        for (int d = 0; d < DIM; d++) s += mine[d] * k[base + t * DIM + d];
        s *= scale;
        float top = fmaxf(m, s);
        float fix = expf(m - top);
        float p = expf(s - top);
        l = l * fix + p;
        for (int d = 0; d < DIM; d++) acc[d] = acc[d] * fix + p * v[base + t * DIM + d];
        m = top;
    }
    for (int d = 0; d < DIM; d++) o[base + query * DIM + d] = acc[d] / l;
}

int main()
{
    float *q, *k, *v, *o;
    size_t bytes = HEADS * SEQ * DIM * sizeof(float);
    cudaMalloc(&q, bytes);
    cudaMalloc(&k, bytes);
    cudaMalloc(&v, bytes);
    cudaMalloc(&o, bytes);
    attention<<<dim3(SEQ / 64, HEADS), 64>>>(q, k, v, o, 0.125f);
    cudaDeviceSynchronize();
    return 0;
}
