// Bars from trades: 60 trades a bar, then the true range between neighbouring bars.
#include <cstdio>
#include <vector>

struct Bar { float open, high, low, close; };

static constexpr int BARS = 20000;
static constexpr int PER_BAR = 60;

__global__ void make_bars(const float *price, const float *size, Bar *bars, float *vwap)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= BARS) return;
    const float *p = price + b * PER_BAR, *q = size + b * PER_BAR;
    Bar bar = {p[0], p[0], p[0], p[PER_BAR - 1]};
    float paid = 0.f, shares = 0.f;
    for (int k = 0; k < PER_BAR; ++k) {
        bar.high = fmaxf(bar.high, p[k]);
        bar.low = fminf(bar.low, p[k]);
        paid += p[k] * q[k];
        shares += q[k];
    }
    bars[b] = bar;
    vwap[b] = paid / shares;
}

__global__ void true_range(const Bar *bars, float *range)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (b >= BARS) return;
    const Bar &now = bars[b];
    float before = bars[b - 1].close;
    float r = now.high - now.low;
    r = fmaxf(r, fabsf(now.high - before));
    r = fmaxf(r, fabsf(now.low - before));
    range[b] = r;
}

int main()
{
    const int n = BARS * PER_BAR;
    std::vector<float> p(n), q(n);
    unsigned s = 1;
    float level = 100.f;
    for (int i = 0; i < n; ++i) {
        s = s * 1103515245u + 12345u;
        level += ((int)(s >> 16 & 255) - 127) * 1e-4f;
        p[i] = level;
        q[i] = 1.f + (s >> 24) % 50;
    }
    float *dp, *dq, *dv, *dr; Bar *db;
    cudaMalloc(&dp, n * sizeof(float)); cudaMalloc(&dq, n * sizeof(float));
    cudaMalloc(&db, BARS * sizeof(Bar)); cudaMalloc(&dv, BARS * sizeof(float)); cudaMalloc(&dr, BARS * sizeof(float));
    cudaMemcpy(dp, p.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dq, q.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    make_bars<<<(BARS + 63) / 64, 64>>>(dp, dq, db, dv);
    true_range<<<(BARS + 63) / 64, 64>>>(db, dr);
    float r;
    cudaMemcpy(&r, dr + 7, sizeof r, cudaMemcpyDeviceToHost);
    printf("%f\n", r);
}
