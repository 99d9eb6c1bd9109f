// European calls: price and the first greeks, one option a thread, results as records.
// By hand: 40 operations an option as the statements stand (37 where common products are kept).
// Verified: operations of a unit with self-counting numbers in Python; compiled with nvcc, not run.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

struct Greeks {
    float price;
    float delta;
    float gamma;
    float vega;
    float theta;
    float rho;
};

__device__ inline float cnd(float x) { return 0.5f * erfcf(x * -0.70710678f); }

__global__ void call_greeks(const float *S, const float *K, const float *T, const float *vol, Greeks *out,
                            float r, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float s = S[i], k = K[i], t = T[i], v = vol[i];
        const float sqrt_t = sqrtf(t);
        const float sv = v * sqrt_t;
        const float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / sv;
        const float d2 = d1 - sv;
        const float nd1 = cnd(d1);
        const float nd2 = cnd(d2);
        const float pdf = 0.39894228f * expf(-0.5f * d1 * d1);
        const float kd = k * expf(-r * t);

        Greeks g;
        g.price = s * nd1 - kd * nd2;
        g.delta = nd1;
        g.gamma = pdf / (s * sv);
        g.vega = s * pdf * sqrt_t;
        g.theta = -0.5f * s * pdf * v / sqrt_t - r * kd * nd2;
        g.rho = t * kd * nd2;
        out[i] = g;
    }
}

static float uniform(float lo, float hi) { return lo + (hi - lo) * (rand() / (float)RAND_MAX); }

int main()
{
    const int n = 1 << 21;
    const size_t bytes = n * sizeof(float);
    float *h[4], *d[4];
    const float lo[4] = {5.f, 5.f, 0.25f, 0.1f}, hi[4] = {150.f, 150.f, 5.f, 0.6f};
    srand(5347);
    for (int a = 0; a < 4; a++) {
        h[a] = (float *)malloc(bytes);
        for (int i = 0; i < n; i++) h[a][i] = uniform(lo[a], hi[a]);
        gpuErrchk(cudaMalloc(&d[a], bytes));
        gpuErrchk(cudaMemcpy(d[a], h[a], bytes, cudaMemcpyHostToDevice));
    }
    Greeks *d_out, *h_out = (Greeks *)malloc(n * sizeof(Greeks));
    gpuErrchk(cudaMalloc(&d_out, n * sizeof(Greeks)));

    const int block = 128;
    cudaEvent_t start, stop;
    gpuErrchk(cudaEventCreate(&start));
    gpuErrchk(cudaEventCreate(&stop));
    call_greeks<<<(n + block - 1) / block, block>>>(d[0], d[1], d[2], d[3], d_out, 0.02f, n);   // warm-up
    gpuErrchk(cudaEventRecord(start));
    for (int it = 0; it < 100; it++)
        call_greeks<<<(n + block - 1) / block, block>>>(d[0], d[1], d[2], d[3], d_out, 0.02f, n);
    gpuErrchk(cudaEventRecord(stop));
    gpuErrchk(cudaEventSynchronize(stop));
    gpuErrchk(cudaGetLastError());
    float ms = 0.f;
    gpuErrchk(cudaEventElapsedTime(&ms, start, stop));
    gpuErrchk(cudaMemcpy(h_out, d_out, n * sizeof(Greeks), cudaMemcpyDeviceToHost));
    printf("%.3f us a launch, price[0] = %.4f delta[0] = %.4f\n", 10.f * ms, h_out[0].price, h_out[0].delta);

    for (int a = 0; a < 4; a++) { cudaFree(d[a]); free(h[a]); }
    cudaFree(d_out);
    free(h_out);
    return 0;
}
