/* Room acoustics: backward integrated energy of impulse responses, in decibels below the start */
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define MICS 256
#define LEN 1024

__global__ void backward_energy(const float *h, float *e)
{
    __shared__ float buf[2][LEN];
    int t = threadIdx.x, from = 0;
    float v = h[blockIdx.x * LEN + LEN - 1 - t];
    buf[0][t] = v * v;
    __syncthreads();
    for (int off = 1; off < LEN; off <<= 1) {
        float x = buf[from][t];
        if (t >= off) x += buf[from][t - off];
        buf[1 - from][t] = x;
        from = 1 - from;
        __syncthreads();
    }
    e[blockIdx.x * LEN + LEN - 1 - t] = buf[from][t];
}

__global__ void decibel_curve(const float *e, float *db)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mic = blockIdx.y;
    if (i < LEN)
        db[mic * LEN + i] = fmaxf(10.f * log10f(e[mic * LEN + i] / e[mic * LEN]), -90.f);
}

int main()
{
    std::vector<float> h(MICS * LEN);
    for (int i = 0; i < MICS * LEN; i++) h[i] = sinf(i * 1.7f) * expf(-0.004f * (i % LEN));
    float *d, *e, *db;
    size_t bytes = h.size() * sizeof(float);
    cudaMalloc(&d, bytes);
    cudaMalloc(&e, bytes);
    cudaMalloc(&db, bytes);
    cudaMemcpy(d, h.data(), bytes, cudaMemcpyHostToDevice);
    backward_energy<<<MICS, LEN>>>(d, e);
    decibel_curve<<<dim3(LEN / 128, MICS), 128>>>(e, db);
    cudaMemcpy(h.data(), db, bytes, cudaMemcpyDeviceToHost);
    printf("%f %f\n", h[100], h[LEN - 1]);
}
