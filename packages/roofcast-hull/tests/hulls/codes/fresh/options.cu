#include <cstdlib>
#include <cuda_runtime.h>
const int OPT_N = 4000000;
const float RISKFREE = 0.02f, VOLATILITY = 0.30f;

__device__ inline float cndGPU(float d) {
    const float A1 = 0.31938153f;
    const float A2 = -0.356563782f;
    const float A3 = 1.781477937f;
    const float A4 = -1.821255978f;
    const float A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float cnd = RSQRT2PI * expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) cnd = 1.0f - cnd;
    return cnd;
}

__device__ inline void bodyGPU(float &call, float &put, float S, float X, float T, float R, float V) {
    float sqrtT = sqrtf(T);
    float d1 = (logf(S / X) + (R + 0.5f * V * V) * T) / (V * sqrtT);
    float d2 = d1 - V * sqrtT;
    float CNDD1 = cndGPU(d1);
    float CNDD2 = cndGPU(d2);
    float expRT = expf(-R * T);
    call = S * CNDD1 - X * expRT * CNDD2;
    put = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}

__launch_bounds__(128)
__global__ void black_scholes(float *d_Call, float *d_Put, const float *d_Price, const float *d_Strike,
                              const float *d_Years, float R, float V, int n) {
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    if (opt < n) bodyGPU(d_Call[opt], d_Put[opt], d_Price[opt], d_Strike[opt], d_Years[opt], R, V);
}

int main() {
    const int OPT_SZ = OPT_N * sizeof(float);
    float *c, *p, *s, *x, *t;
    cudaMalloc((void **)&c, OPT_SZ);
    cudaMalloc((void **)&p, OPT_SZ);
    cudaMalloc((void **)&s, OPT_SZ);
    cudaMalloc((void **)&x, OPT_SZ);
    cudaMalloc((void **)&t, OPT_SZ);
    for (int i = 0; i < 512; i++)
        black_scholes<<<(OPT_N + 127) / 128, 128>>>(c, p, s, x, t, RISKFREE, VOLATILITY, OPT_N);
    cudaDeviceSynchronize();
    return 0;
}
