#include <cuda_runtime.h>
#include <curand_kernel.h>

__global__ void setup(curandState *state, unsigned long seed)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, id, 0, &state[id]);
}

__global__ void paths(curandState *state, float *payoff, float s0, float strike, float drift, float vol, int steps)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    curandState local = state[id];
    float s = s0, mean = 0.f;
    for (int t = 0; t < steps; t++) {
        s *= expf(drift + vol * curand_normal(&local));
        mean += s;
    }
    mean /= steps;
    payoff[id] = fmaxf(mean - strike, 0.f);
    state[id] = local;
}

int main()
{
    const int n = 128 * 512;
    curandState *state;
    float *payoff;
    cudaMalloc(&state, n * sizeof(curandState));
    cudaMalloc(&payoff, n * sizeof(float));
    setup<<<512, 128>>>(state, 1234);
    paths<<<512, 128>>>(state, payoff, 100.f, 95.f, 0.0001f, 0.01f, 252);
    cudaDeviceSynchronize();
    return 0;
}
