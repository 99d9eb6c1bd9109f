// Operations of one unit of work verified with self-counting numbers in Python; sizes and bytes by arithmetic.
// Present values of a book of amortising payer swaps on one quarterly curve.
// Notionals are stored period-major so that neighbouring threads read neighbouring swaps.
// By hand: 5 a period (-, *, *, *, +=).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define NUM_SWAPS   100000
#define NUM_PERIODS 40
#define ACCRUAL     0.25f

inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}
#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }

__global__ void swapNPV(const float *notional, const float *fixedRate, const float *discount,
                        const float *forward, float *npv, int nSwaps, int nPeriods)
{
    for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < nSwaps; s += gridDim.x * blockDim.x) {
        float rate = fixedRate[s];
        float value = 0.0f;
        for (int k = 0; k < nPeriods; ++k)
            value += notional[k * nSwaps + s] * ACCRUAL * discount[k] * (forward[k] - rate);
        npv[s] = value;
    }
}

int main(void)
{
    size_t notionalBytes = (size_t)NUM_SWAPS * NUM_PERIODS * sizeof(float);
    float *hN = (float *)malloc(notionalBytes);
    float *hR = (float *)malloc(NUM_SWAPS * sizeof(float));
    float hD[NUM_PERIODS], hF[NUM_PERIODS];
    for (int k = 0; k < NUM_PERIODS; ++k) {
        hF[k] = 0.03f + 0.0002f * k;
        hD[k] = expf(-0.03f * ACCRUAL * (k + 1));
        for (int s = 0; s < NUM_SWAPS; ++s) hN[(size_t)k * NUM_SWAPS + s] = 1e6f * (1.0f - k / (float)NUM_PERIODS);
    }
    for (int s = 0; s < NUM_SWAPS; ++s) hR[s] = 0.02f + 0.00001f * (s % 2000);

    float *dN, *dR, *dD, *dF, *dV;
    gpuErrchk(cudaMalloc((void **)&dN, notionalBytes));
    gpuErrchk(cudaMalloc((void **)&dR, NUM_SWAPS * sizeof(float)));
    gpuErrchk(cudaMalloc((void **)&dD, sizeof(hD)));
    gpuErrchk(cudaMalloc((void **)&dF, sizeof(hF)));
    gpuErrchk(cudaMalloc((void **)&dV, NUM_SWAPS * sizeof(float)));
    gpuErrchk(cudaMemcpy(dN, hN, notionalBytes, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dR, hR, NUM_SWAPS * sizeof(float), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dD, hD, sizeof(hD), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dF, hF, sizeof(hF), cudaMemcpyHostToDevice));

    swapNPV<<<128, 256>>>(dN, dR, dD, dF, dV, NUM_SWAPS, NUM_PERIODS);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaMemcpy(hR, dV, NUM_SWAPS * sizeof(float), cudaMemcpyDeviceToHost));
    double book = 0;
    for (int s = 0; s < NUM_SWAPS; ++s) book += hR[s];
    printf("book value %.2f\n", book);
    return 0;
}
