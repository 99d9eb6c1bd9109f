// Largest signal speed of a 2-D Euler state: what limits the time step.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

struct State { const float *rho, *mx, *my, *en; };
static const int NX = 1536, NY = 1024;
#define GAMMA 1.4f

__inline__ __device__ float warp_max(float v)
{
    for (int o = 16; o > 0; o >>= 1)
        v = fmaxf(v, __shfl_down_sync(0xffffffffu, v, o));
    return v;
}

__global__ void max_speed(State s, int *result, int cells)
{
    __shared__ float part[8];
    float best = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += blockDim.x * gridDim.x) {
        float r = s.rho[i];
        float inv = 1.0f / r;
        float u = s.mx[i] * inv, v = s.my[i] * inv;
        float q2 = u * u + v * v;
        float p = (GAMMA - 1.0f) * (s.en[i] - 0.5f * r * q2);
        float c = sqrtf(GAMMA * p * inv);
        best = fmaxf(best, sqrtf(q2) + c);
    }
    best = warp_max(best);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = best;
    __syncthreads();
    if (threadIdx.x < 32) {
        best = threadIdx.x < 8 ? part[threadIdx.x] : 0.0f;
        best = warp_max(best);
        if (threadIdx.x == 0) atomicMax(result, __float_as_int(best));
    }
}

int main()
{
    const int cells = NX * NY;
    std::vector<float> rho(cells), mx(cells), my(cells), en(cells);
    for (int i = 0; i < cells; i++) {
        rho[i] = 1.0f + 0.001f * (i % 97);
        mx[i] = 0.1f * (i % 13);
        my[i] = -0.05f * (i % 7);
        en[i] = 4.0f + 0.01f * (i % 31);
    }
    float *d[4];
    const float *src[4] = {rho.data(), mx.data(), my.data(), en.data()};
    for (int k = 0; k < 4; k++) {
        cudaMalloc(&d[k], cells * sizeof(float));
        cudaMemcpy(d[k], src[k], cells * sizeof(float), cudaMemcpyHostToDevice);
    }
    int *res;
    cudaMalloc(&res, sizeof(int));
    cudaMemset(res, 0, sizeof(int));
    State s = {d[0], d[1], d[2], d[3]};
    max_speed<<<264, 256>>>(s, res, cells);
    float speed;
    cudaMemcpy(&speed, res, sizeof(float), cudaMemcpyDeviceToHost);
    printf("dt <= %g\n", 0.4f / (NX * speed));
    return 0;
}
