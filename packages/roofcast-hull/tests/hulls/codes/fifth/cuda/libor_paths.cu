//
// Monte Carlo of forward rates (LIBOR market model): every thread takes one path of NMAT steps and values a swaption
//
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define NN 80      // forward rates
#define NMAT 40    // steps until maturity
#define NPATH 32768

__constant__ float lambda[NN];
__constant__ float delta;
__constant__ float sqrt_delta;

__device__ void path_calc(float *L, const float *z, int path, int npath)
{
    for (int n = 0; n < NMAT; n++) {
        float sqez = sqrt_delta * z[n * npath + path];
        float v = 0.0f;
        for (int i = n + 1; i < NN; i++) {
            float lam = lambda[i - n - 1];
            float con1 = delta * lam;
            v += con1 * L[i] / (1.0f + delta * L[i]);
            float vrat = expf(con1 * v + lam * (sqez - 0.5f * con1));
            L[i] = L[i] * vrat;
        }
    }
}

__device__ float swaption(const float *L, float swaprate)
{
    float b = 1.0f, s = 0.0f;
    for (int n = NMAT; n < NN; n++) {
        b = b / (1.0f + delta * L[n]);
        s += delta * b;
    }
    float swapval = b + swaprate * s - 1.0f;
    float pay = -100.0f * fminf(swapval, 0.0f);
    float discount = 1.0f;
    for (int n = 0; n < NMAT; n++)
        discount = discount / (1.0f + delta * L[n]);
    return pay * discount;
}

__global__ void pathcalc_portfolio(const float *z, float *values, int npath)
{
    const int path = threadIdx.x + blockIdx.x * blockDim.x;
    if (path >= npath) return;
    float L[NN];
    for (int i = 0; i < NN; i++) L[i] = 0.05f;
    path_calc(L, z, path, npath);
    values[path] = swaption(L, 0.045f);
}

static float gauss(void)
{
    float u = (rand() + 1.0f) / (RAND_MAX + 2.0f), v = rand() / (float)RAND_MAX;
    return sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v);
}

int main(int argc, char **argv)
{
    float h_lambda[NN], h_delta = 0.25f, h_sqrt = sqrtf(h_delta);
    for (int i = 0; i < NN; i++) h_lambda[i] = 0.2f;

    float *h_z = (float *)malloc(sizeof(float) * NMAT * NPATH);
    float *h_v = (float *)malloc(sizeof(float) * NPATH);
    for (int i = 0; i < NMAT * NPATH; i++) h_z[i] = gauss();

    float *d_z, *d_v;
    cudaMalloc((void **)&d_z, sizeof(float) * NMAT * NPATH);
    cudaMalloc((void **)&d_v, sizeof(float) * NPATH);
    cudaMemcpy(d_z, h_z, sizeof(float) * NMAT * NPATH, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(lambda, h_lambda, sizeof(h_lambda));
    cudaMemcpyToSymbol(delta, &h_delta, sizeof(float));
    cudaMemcpyToSymbol(sqrt_delta, &h_sqrt, sizeof(float));

    dim3 dimBlock(64);
    dim3 dimGrid(NPATH / 64);
    pathcalc_portfolio<<<dimGrid, dimBlock>>>(d_z, d_v, NPATH);
    cudaDeviceSynchronize();

    cudaMemcpy(h_v, d_v, sizeof(float) * NPATH, cudaMemcpyDeviceToHost);
    double sum = 0.0, sum2 = 0.0;
    for (int i = 0; i < NPATH; i++) {
        sum += h_v[i];
        sum2 += (double)h_v[i] * h_v[i];
    }
    double mean = sum / NPATH;
    printf("value %.5f +- %.5f\n", mean, sqrt((sum2 / NPATH - mean * mean) / NPATH));
    cudaFree(d_z);
    cudaFree(d_v);
    free(h_z);
    free(h_v);
    return 0;
}
