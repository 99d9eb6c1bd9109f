// Ratings of obligors some years ahead: each row of probabilities goes through the one-year matrix YEARS times.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int R, int YEARS>
__global__ void forward_ratings(const float *__restrict__ start, const float *__restrict__ matrix,
                                float *__restrict__ ahead, int obligors)
{
    __shared__ float m[R][R];
    if (threadIdx.x < R * R)
        m[threadIdx.x / R][threadIdx.x % R] = matrix[threadIdx.x];
    __syncthreads();

    const int who = blockIdx.x * blockDim.x + threadIdx.x;
    if (who >= obligors) return;

    float now[R], next[R];
#pragma unroll
    for (int r = 0; r < R; r++) now[r] = start[who * R + r];
    for (int year = 0; year < YEARS; year++) {
#pragma unroll
        for (int to = 0; to < R; to++) {
            float p = 0.f;
#pragma unroll
            for (int from = 0; from < R; from++) p += now[from] * m[from][to];
            next[to] = p;
        }
#pragma unroll
        for (int r = 0; r < R; r++) now[r] = next[r];
    }
#pragma unroll
    for (int r = 0; r < R; r++) ahead[who * R + r] = now[r];
}

int main()
{
    const int R = 8, obligors = 400000;
    std::vector<float> h(obligors * R, 0.f), m(R * R, 0.f);
    for (int o = 0; o < obligors; o++) h[o * R + o % R] = 1.f;
    for (int i = 0; i < R; i++) {
        m[i * R + i] = 0.9f;
        m[i * R + (i + 1 < R ? i + 1 : i)] += 0.07f;
        m[i * R + (i ? i - 1 : 0)] += 0.03f;
    }
    float *start, *matrix, *ahead;
    cudaMalloc(&start, h.size() * sizeof(float));
    cudaMalloc(&ahead, h.size() * sizeof(float));
    cudaMalloc(&matrix, m.size() * sizeof(float));
    cudaMemcpy(start, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(matrix, m.data(), m.size() * sizeof(float), cudaMemcpyHostToDevice);
    forward_ratings<R, 5><<<(obligors + 127) / 128, 128>>>(start, matrix, ahead, obligors);
    cudaMemcpy(h.data(), ahead, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %f\n", h[0], h[1]);
    return cudaGetLastError() != cudaSuccess;
}
