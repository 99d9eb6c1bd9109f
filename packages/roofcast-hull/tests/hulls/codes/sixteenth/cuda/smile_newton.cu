// Implied volatilities of a quote book, Newton with a bisection guard, each quote until its own price fits
#include <cstdio>
#include <cmath>
#include <vector>

constexpr int QUOTES = 262144;

__device__ double call_price(double f, double k, double total_vol, double *vega)
{
    const double d1 = log(f / k) / total_vol + 0.5 * total_vol;
    const double d2 = d1 - total_vol;
    *vega = f * 0.3989422804014327 * exp(-0.5 * d1 * d1);
    return f * normcdf(d1) - k * normcdf(d2);
}

__global__ void implied_vols(const double *__restrict__ price, const double *__restrict__ strike, double *__restrict__ vol, double f, double root_t)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= QUOTES) return;
    double lo = 1e-4, hi = 4.0, v = 0.3;
    for (;;) {
        double vega;
        const double miss = call_price(f, strike[i], v, &vega) - price[i];
        if (fabs(miss) < 1e-10 || hi - lo < 1e-12) break;
        if (miss > 0) hi = v; else lo = v;
        const double next = v - miss / vega;
        v = next > lo && next < hi ? next : 0.5 * (lo + hi);
    }
    vol[i] = v / root_t;
}

int main()
{
    std::vector<double> p(QUOTES), k(QUOTES);
    for (int i = 0; i < QUOTES; i++) { k[i] = 80.0 + 40.0 * i / QUOTES; p[i] = fmax(100.0 - k[i], 0.0) + 4.0; }
    double *price, *strike, *vol;
    cudaMalloc(&price, QUOTES * 8); cudaMalloc(&strike, QUOTES * 8); cudaMalloc(&vol, QUOTES * 8);
    cudaMemcpy(price, p.data(), QUOTES * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(strike, k.data(), QUOTES * 8, cudaMemcpyHostToDevice);
    implied_vols<<<QUOTES / 128, 128>>>(price, strike, vol, 100.0, 0.5);
    cudaMemcpy(p.data(), vol, QUOTES * 8, cudaMemcpyDeviceToHost);
    printf("%f\n", p[1000]);
}
