// Log-linear discount factors from a bootstrapped curve for cash flows at arbitrary times, and their present values.
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

#define KNOTS 37
#define FLOWS (1 << 22)

__global__ void discount(const float *when, const float *knot, const float *log_df, float *df, int flows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= flows) return;
    float t = when[i];
    int lo = 0, hi = KNOTS - 1;
    while (hi - lo > 1) {
        int mid = (lo + hi) >> 1;
        if (knot[mid] <= t) lo = mid;
        else hi = mid;
    }
    float w = (t - knot[lo]) / (knot[hi] - knot[lo]);
    df[i] = expf(log_df[lo] + w * (log_df[hi] - log_df[lo]));
}

// sixteen coupons to a bond
__global__ void dirty_price(const float *df, const float *coupon, float *price)
{
    int bond = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 *d = (const float4 *)df + bond * 4;
    float c = coupon[bond], a = 0.f;
    float4 last;
    for (int q = 0; q < 4; q++) {
        last = d[q];
        a += last.x + last.y + last.z + last.w;
    }
    price[bond] = 100.f * (c * a + last.w);
}

int main()
{
    float *when, *knot, *ldf, *df, *cpn, *px;
    cudaMallocManaged(&when, FLOWS * sizeof(float));
    cudaMallocManaged(&df, FLOWS * sizeof(float));
    cudaMallocManaged(&knot, KNOTS * sizeof(float));
    cudaMallocManaged(&ldf, KNOTS * sizeof(float));
    cudaMallocManaged(&cpn, FLOWS / 16 * sizeof(float));
    cudaMallocManaged(&px, FLOWS / 16 * sizeof(float));
    for (int k = 0; k < KNOTS; k++) { knot[k] = 0.03f * k * k; ldf[k] = -0.03f * knot[k]; }
    for (int i = 0; i < FLOWS; i++) when[i] = 0.1f + (i % 16) + 0.0001f * (i % 997);
    for (int b = 0; b < FLOWS / 16; b++) cpn[b] = 0.01f + 0.0005f * (b % 80);
    discount<<<FLOWS / 256, 256>>>(when, knot, ldf, df, FLOWS);
    dirty_price<<<FLOWS / 16 / 256, 256>>>(df, cpn, px);
    cudaDeviceSynchronize();
    printf("%f\n", px[11]);
    return 0;
}
