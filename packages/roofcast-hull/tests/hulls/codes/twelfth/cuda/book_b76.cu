// Book of calls on futures: Black-76 with market data looked up by underlying, then exposure by underlying.
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Trade { int underlying; float strike, expiry, lots; };

constexpr int kTrades = 1000000;
constexpr int kUnderlyings = 2048;

__device__ float cdf(float x) { return 0.5f * erfcf(x * -0.70710678f); }

__global__ void value_book(const Trade *book, const float *fwd, const float *vol, float *value, float rate) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kTrades) {
        Trade t = book[i];
        float f = fwd[t.underlying];
        float sd = vol[t.underlying] * sqrtf(t.expiry);
        float d1 = logf(f / t.strike) / sd + 0.5f * sd;
        float d2 = d1 - sd;
        value[i] = t.lots * expf(-rate * t.expiry) * (f * cdf(d1) - t.strike * cdf(d2));
    }
}

__global__ void exposure_by_underlying(const int *underlying, const float *value, float *exposure) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kTrades) atomicAdd(exposure + underlying[i], value[i]);
}

int main() {
    std::vector<Trade> book(kTrades);
    std::vector<int> u(kTrades);
    std::vector<float> f(kUnderlyings), s(kUnderlyings);
    for (int i = 0; i < kTrades; ++i) {
        u[i] = (int)((i * 2246822519ull >> 7) % kUnderlyings);
        book[i] = {u[i], 80.f + i % 41, .1f + (i % 24) / 12.f, (float)(i % 9 - 4)};
    }
    for (int k = 0; k < kUnderlyings; ++k) { f[k] = 90.f + k % 21; s[k] = .15f + (k % 20) * .01f; }
    Trade *db; int *du; float *df, *ds, *dv, *de;
    cudaMalloc(&db, kTrades * sizeof(Trade));
    cudaMalloc(&du, kTrades * sizeof(int));
    cudaMalloc(&dv, kTrades * sizeof(float));
    cudaMalloc(&df, kUnderlyings * sizeof(float));
    cudaMalloc(&ds, kUnderlyings * sizeof(float));
    cudaMalloc(&de, kUnderlyings * sizeof(float));
    cudaMemcpy(db, book.data(), kTrades * sizeof(Trade), cudaMemcpyHostToDevice);
    cudaMemcpy(du, u.data(), kTrades * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(df, f.data(), kUnderlyings * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(ds, s.data(), kUnderlyings * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(de, 0, kUnderlyings * sizeof(float));
    value_book<<<(kTrades + 191) / 192, 192>>>(db, df, ds, dv, .03f);
    exposure_by_underlying<<<(kTrades + 255) / 256, 256>>>(du, dv, de);
    cudaMemcpy(f.data(), de, kUnderlyings * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", f[3]);
}
