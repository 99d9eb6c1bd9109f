// Attention with a sigmoid in place of the softmax: scores of a head are a gated product, no row normaliser.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int HEADS = 8, SEQ = 1024, DIM = 64;
constexpr int T = 16;

__global__ void gate_scores(const float* Q, const float* K, float* P, float scale, float bias)
{
    __shared__ float q[T][T + 1], k[T][T + 1];
    int head = blockIdx.z;
    int row = blockIdx.y * T + threadIdx.y;
    int col = blockIdx.x * T + threadIdx.x;
    const float* Qh = Q + head * SEQ * DIM;
    const float* Kh = K + head * SEQ * DIM;
    float dot = 0.f;
    for (int d0 = 0; d0 < DIM; d0 += T) {
        q[threadIdx.y][threadIdx.x] = Qh[row * DIM + d0 + threadIdx.x];
        k[threadIdx.y][threadIdx.x] = Kh[(blockIdx.x * T + threadIdx.y) * DIM + d0 + threadIdx.x];
        __syncthreads();
        for (int d = 0; d < T; ++d) dot += q[threadIdx.y][d] * k[threadIdx.x][d];
        __syncthreads();
    }
    P[(head * SEQ + row) * SEQ + col] = 1.f / (1.f + __expf(-(dot * scale + bias)));
}

__global__ void weighted_values(const float* P, const float* V, float* O)
{
    int d = threadIdx.x;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int head = blockIdx.y;
    float acc = 0.f;
    for (int s = 0; s < SEQ; ++s)
        acc += P[(head * SEQ + row) * SEQ + s] * V[(head * SEQ + s) * DIM + d];
    O[(head * SEQ + row) * DIM + d] = acc;
}

int main()
{
    std::vector<float> h(HEADS * SEQ * DIM);
    for (size_t i = 0; i < h.size(); ++i) h[i] = ((i * 7919) % 1000) / 1000.f - 0.5f;
    float *q, *k, *v, *p, *o;
    size_t b = h.size() * sizeof(float);
    cudaMalloc(&q, b); cudaMalloc(&k, b); cudaMalloc(&v, b); cudaMalloc(&o, b);
    cudaMalloc(&p, sizeof(float) * HEADS * SEQ * SEQ);
    for (float* dst : {q, k, v}) cudaMemcpy(dst, h.data(), b, cudaMemcpyHostToDevice);
    gate_scores<<<dim3(SEQ / T, SEQ / T, HEADS), dim3(T, T)>>>(q, k, p, 0.125f, -6.93f);
    weighted_values<<<dim3(SEQ / 4, HEADS), dim3(DIM, 4)>>>(p, v, o);
    float out;
    cudaMemcpy(&out, o + 77, 4, cudaMemcpyDeviceToHost);
    printf("%g\n", out);
}
