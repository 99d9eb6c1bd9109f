// As-of join: for each trade the mid of the last quote that is not later.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Quote { long long when; float bid, ask; };

__global__ void asof_mid(const long long *trade, const Quote *quote, float *mid, int trades, int quotes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= trades) return;
    long long t = trade[i];
    int lo = 0, hi = quotes;
    while (lo < hi) {
        int m = lo + (hi - lo) / 2;
        if (quote[m].when <= t) lo = m + 1;
        else hi = m;
    }
    mid[i] = lo > 0 ? 0.5f * (quote[lo - 1].bid + quote[lo - 1].ask) : 0.0f;
}

int main()
{
    const int trades = 2000000, quotes = 500000;
    std::vector<Quote> q(quotes);
    std::vector<long long> t(trades);
    for (int i = 0; i < quotes; i++) q[i] = {40LL * i + i % 7, 100.0f + i % 13, 100.5f + i % 13};
    for (int i = 0; i < trades; i++) t[i] = 10LL * i + 3;
    Quote *dq;
    long long *dt;
    float *mid, last;
    cudaMalloc(&dq, quotes * sizeof(Quote));
    cudaMalloc(&dt, trades * sizeof(long long));
    cudaMalloc(&mid, trades * sizeof(float));
    cudaMemcpy(dq, q.data(), quotes * sizeof(Quote), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, t.data(), trades * sizeof(long long), cudaMemcpyHostToDevice);
    asof_mid<<<(trades + 255) / 256, 256>>>(dt, dq, mid, trades, quotes);
    cudaMemcpy(&last, mid + trades - 1, sizeof last, cudaMemcpyDeviceToHost);
    printf("%g\n", last);
    return cudaGetLastError() != cudaSuccess;
}
