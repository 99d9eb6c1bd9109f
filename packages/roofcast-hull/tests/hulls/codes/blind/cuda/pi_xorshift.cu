#include <cuda_runtime.h>
#include <stdio.h>

#define TRIALS 1000

__device__ unsigned int next(unsigned int &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

__global__ void throwDarts(unsigned long long *hits)
{
    unsigned int state = 2463534242u + 747796405u * (blockIdx.x * blockDim.x + threadIdx.x);
    unsigned int mine = 0;
    for (int t = 0; t < TRIALS; t++) {
        float x = next(state) * 2.3283064e-10f;
        float y = next(state) * 2.3283064e-10f;
        if (x * x + y * y <= 1.0f) mine++;
    }
    atomicAdd(hits, (unsigned long long)mine);
}

int main()
{
    unsigned long long *d, h = 0;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, &h, sizeof(h), cudaMemcpyHostToDevice);
    throwDarts<<<256, 256>>>(d);
    cudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%f\n", 4.0 * h / (256.0 * 256.0 * TRIALS));
}
