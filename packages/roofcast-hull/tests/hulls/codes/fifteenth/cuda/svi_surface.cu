// Implied volatilities from SVI slices, and violations of the calendar along expiries.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Svi { float a, b, rho, m, sigma, expiry; };
static const int EXPIRIES = 24;
static const int STRIKES = 65536;

__global__ void svi_vols(const Svi *__restrict__ slice, const float *__restrict__ logk, float *__restrict__ vol)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int e = blockIdx.y;
    if (j >= STRIKES) return;
    Svi s = slice[e];
    float d = logk[j] - s.m;
    float w = s.a + s.b * (s.rho * d + sqrtf(d * d + s.sigma * s.sigma));
    vol[e * STRIKES + j] = sqrtf(w / s.expiry);
}

__global__ void calendar_breaks(const float *vol, const float *expiry, int *breaks)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= STRIKES) return;
    float before = vol[j] * vol[j] * expiry[0];
    int n = 0;
    for (int e = 1; e < EXPIRIES; ++e) {
        float v = vol[e * STRIKES + j];
        float w = v * v * expiry[e];
        n += w < before;
        before = w;
    }
    breaks[j] = n;
}

int main()
{
    std::vector<Svi> hs(EXPIRIES);
    std::vector<float> hk(STRIKES), ht(EXPIRIES);
    for (int e = 0; e < EXPIRIES; ++e) {
        float t = (e + 1) / 12.f;
        hs[e] = Svi{0.02f * t, 0.1f, -0.4f, 0.01f, 0.15f, t};
        ht[e] = t;
    }
    for (int j = 0; j < STRIKES; ++j) hk[j] = -1.f + 2.f * j / STRIKES;
    Svi *slice; float *k, *vol, *t; int *br;
    cudaMalloc(&slice, EXPIRIES * sizeof(Svi));
    cudaMalloc(&k, STRIKES * sizeof(float));
    cudaMalloc(&t, EXPIRIES * sizeof(float));
    cudaMalloc(&vol, EXPIRIES * STRIKES * sizeof(float));
    cudaMalloc(&br, STRIKES * sizeof(int));
    cudaMemcpy(slice, hs.data(), EXPIRIES * sizeof(Svi), cudaMemcpyHostToDevice);
    cudaMemcpy(k, hk.data(), STRIKES * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(t, ht.data(), EXPIRIES * sizeof(float), cudaMemcpyHostToDevice);
    svi_vols<<<dim3(STRIKES / 256, EXPIRIES), 256>>>(slice, k, vol);
    calendar_breaks<<<STRIKES / 256, 256>>>(vol, t, br);
    std::vector<int> hb(STRIKES);
    cudaMemcpy(hb.data(), br, STRIKES * sizeof(int), cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int b : hb) sum += b;
    printf("%ld\n", sum);
}
