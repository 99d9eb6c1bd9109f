// Precipitable water: specific humidity integrated over 40 layers between pressure interfaces.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define NLEV 40
#define NCOL (256 * 512)

template <int LEV>
__global__ void precipitable_water(const float *q, const float *pint, float *pw, const int ncol)
{
    const float inv_g = 1.f / 9.80665f;
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= ncol) return;
    float above = pint[c];
    float sum = 0.f;
    for (int k = 0; k < LEV; ++k) {
        float below = pint[(k + 1) * ncol + c];
        sum += q[k * ncol + c] * (below - above);
        above = below;
    }
    pw[c] = sum * inv_g;
}

int main(int argc, char **argv)
{
    float *q, *pint, *pw;
    float *hq = new float[NLEV * NCOL], *hp = new float[(NLEV + 1) * NCOL];
    for (int k = 0; k < NLEV; k++)
        for (int c = 0; c < NCOL; c++) hq[k * NCOL + c] = 1e-4f * k * (1.f + 0.1f * (c % 13));
    for (int k = 0; k <= NLEV; k++)
        for (int c = 0; c < NCOL; c++) hp[k * NCOL + c] = 2500.f * k + (c % 100);
    cudaMalloc(&q, sizeof(float) * NLEV * NCOL);
    cudaMalloc(&pint, sizeof(float) * (NLEV + 1) * NCOL);
    cudaMalloc(&pw, sizeof(float) * NCOL);
    cudaMemcpy(q, hq, sizeof(float) * NLEV * NCOL, cudaMemcpyHostToDevice);
    cudaMemcpy(pint, hp, sizeof(float) * (NLEV + 1) * NCOL, cudaMemcpyHostToDevice);
    precipitable_water<NLEV><<<(NCOL + 191) / 192, 192>>>(q, pint, pw, NCOL);
    float v;
    cudaMemcpy(&v, pw + 5, sizeof(v), cudaMemcpyDeviceToHost);
    printf("%f kg/m2\n", v);
    delete[] hq;
    delete[] hp;
    return 0;
}
