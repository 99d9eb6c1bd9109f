// Grey long-wave radiation in atmospheric columns: one thread sweeps a column down and up again. Level-major storage.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define NLEV 60
#define NCOL 40000
#define SIGMA 5.670374e-8f
#define DIFFUSIVITY -1.66f

#define IDX(lev, col) ((lev) * NCOL + (col))

__device__ __forceinline__ float planck(float t)
{
    float t2 = t * t;
    return SIGMA * t2 * t2;
}

__global__ void __launch_bounds__(128)
longwave(const float *__restrict__ tau, const float *__restrict__ temp, const float *__restrict__ tsurf,
         float *__restrict__ down, float *__restrict__ up)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= NCOL) return;

    float flux = 0.0f;
    down[IDX(0, col)] = flux;
    for (int k = 0; k < NLEV; k++) {
        float tr = __expf(DIFFUSIVITY * tau[IDX(k, col)]);
        flux = flux * tr + planck(temp[IDX(k, col)]) * (1.0f - tr);
        down[IDX(k + 1, col)] = flux;
    }

    flux = planck(tsurf[col]);
    up[IDX(NLEV, col)] = flux;
    for (int k = NLEV - 1; k >= 0; k--) {
        float tr = __expf(DIFFUSIVITY * tau[IDX(k, col)]);
        flux = flux * tr + planck(temp[IDX(k, col)]) * (1.0f - tr);
        up[IDX(k, col)] = flux;
    }
}

int main(void)
{
    size_t layers = (size_t)NLEV * NCOL, faces = (size_t)(NLEV + 1) * NCOL;
    float *tau = (float *)malloc(layers * sizeof(float)), *temp = (float *)malloc(layers * sizeof(float));
    float *ts = (float *)malloc(NCOL * sizeof(float)), *up = (float *)malloc(faces * sizeof(float));
    for (int k = 0; k < NLEV; k++)
        for (int c = 0; c < NCOL; c++) {
            tau[IDX(k, c)] = 0.002f * (k + 1) + 1e-7f * c;
            temp[IDX(k, c)] = 210.0f + 1.3f * k;
        }
    for (int c = 0; c < NCOL; c++) ts[c] = 288.0f + 0.0001f * c;

    float *d_tau, *d_temp, *d_ts, *d_down, *d_up;
    cudaMalloc(&d_tau, layers * sizeof(float));
    cudaMalloc(&d_temp, layers * sizeof(float));
    cudaMalloc(&d_ts, NCOL * sizeof(float));
    cudaMalloc(&d_down, faces * sizeof(float));
    cudaMalloc(&d_up, faces * sizeof(float));
    cudaMemcpy(d_tau, tau, layers * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_temp, temp, layers * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_ts, ts, NCOL * sizeof(float), cudaMemcpyHostToDevice);

    longwave<<<(NCOL + 127) / 128, 128>>>(d_tau, d_temp, d_ts, d_down, d_up);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("failed\n");
        return 1;
    }
    cudaMemcpy(up, d_up, faces * sizeof(float), cudaMemcpyDeviceToHost);
    printf("OLR %.3f W/m2\n", up[0]);
    cudaFree(d_tau);
    cudaFree(d_temp);
    cudaFree(d_ts);
    cudaFree(d_down);
    cudaFree(d_up);
    free(tau);
    free(temp);
    free(ts);
    free(up);
    return 0;
}
