#include <cuda_runtime.h>

struct Option {
    float spot, strike, years, rate, vol;
};

__device__ inline float cdf(float x) { return 0.5f * erfcf(-0.70710678f * x); }

__global__ void price(const Option *opt, float *call, float *put, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const Option o = opt[i];
        float sq = o.vol * sqrtf(o.years);
        float d1 = (logf(o.spot / o.strike) + (o.rate + 0.5f * o.vol * o.vol) * o.years) / sq;
        float d2 = d1 - sq;
        float disc = o.strike * expf(-o.rate * o.years);
        float c = o.spot * cdf(d1) - disc * cdf(d2);
        call[i] = c;
        put[i] = c + disc - o.spot;
    }
}

int main()
{
    int n = 1000000;
    Option *opt;
    float *call, *put;
    cudaMalloc(&opt, n * sizeof(Option));
    cudaMalloc(&call, n * sizeof(float));
    cudaMalloc(&put, n * sizeof(float));
    price<<<(n + 255) / 256, 256>>>(opt, call, put, n);
    cudaDeviceSynchronize();
}
