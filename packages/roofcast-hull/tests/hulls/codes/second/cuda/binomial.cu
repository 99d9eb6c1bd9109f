// European options by a binomial tree, a block for each option.
#include <cuda_runtime.h>

#define STEPS 255

__global__ void binomial(const float *spot, const float *strike, const float *years, float *price, float r, float v)
{
    __shared__ float value[STEPS + 1];
    const int option = blockIdx.x;
    const int i = threadIdx.x;
    const float dt = years[option] / STEPS;
    const float vdt = v * sqrtf(dt);
    const float up = expf(vdt);
    const float down = expf(-vdt);
    const float growth = expf(r * dt);
    const float inverse = 1.0f / growth;
    const float pu = (growth - down) / (up - down) * inverse;
    const float pd = inverse - pu;

    value[i] = fmaxf(spot[option] * expf(vdt * (2.0f * i - STEPS)) - strike[option], 0.0f);
    __syncthreads();
    for (int step = STEPS; step > 0; step--) {
        float next = 0.0f;
        if (i < step) next = pu * value[i + 1] + pd * value[i];
        __syncthreads();
        if (i < step) value[i] = next;
        __syncthreads();
    }
    if (i == 0) price[option] = value[0];
}

int main()
{
    const int options = 1024;
    float *spot, *strike, *years, *price;
    cudaMalloc(&spot, options * sizeof(float));
    cudaMalloc(&strike, options * sizeof(float));
    cudaMalloc(&years, options * sizeof(float));
    cudaMalloc(&price, options * sizeof(float));
    binomial<<<options, STEPS + 1>>>(spot, strike, years, price, 0.06f, 0.1f);
    cudaDeviceSynchronize();
    return 0;
}
