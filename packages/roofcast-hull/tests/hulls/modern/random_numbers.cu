#include <curand_kernel.h>
#define N (1 << 20)
__global__ void setup(curandState *st, unsigned long seed) { int i = blockIdx.x * blockDim.x + threadIdx.x; curand_init(seed, i, 0, &st[i]); }
__global__ void paths(curandState *st, float *sum, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState s = st[i];
    float v = 1.0f;
    for (int k = 0; k < steps; k++) v *= expf(0.01f * curand_normal(&s));
    st[i] = s;
    sum[i] = v;
}
__global__ void uniform(float *out, unsigned long long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t s;
    curand_init(seed, i, 0, &s);
    float4 u = curand_uniform4(&s);
    ((float4 *)out)[i] = u;
}
int main()
{
    curandState *st; float *sum, *out;
    cudaMalloc(&st, N * sizeof(curandState)); cudaMalloc(&sum, N * sizeof(float)); cudaMalloc(&out, 4 * N * sizeof(float));
    setup<<<N / 256, 256>>>(st, 42);
    paths<<<N / 256, 256>>>(st, sum, 100);
    uniform<<<N / 256, 256>>>(out, 7ull);
    return 0;
}
