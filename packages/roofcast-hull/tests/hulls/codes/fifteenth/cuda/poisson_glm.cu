// Poisson regression: means and residuals of all rows, then the gradient in 16 coefficients.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define P 16
#define NOBS 200000

__constant__ float beta[P];

__global__ void glm_mean(const float *X, const float *y, float *mu, float *resid)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= NOBS) return;
    const float *x = &X[i * P];
    float eta = 0.f;
    for (int j = 0; j < P; j++) eta += x[j] * beta[j];
    float m = expf(eta);
    mu[i] = m;
    resid[i] = y[i] - m;
}

__global__ void glm_gradient(const float *X, const float *resid, float *grad)
{
    __shared__ float part[16][P];
    const int j = threadIdx.x, r = threadIdx.y;
    float g = 0.f;
    for (int i = blockIdx.x * 16 + r; i < NOBS; i += gridDim.x * 16)
        g += X[i * P + j] * resid[i];
    part[r][j] = g;
    __syncthreads();
    for (int s = 8; s > 0; s >>= 1) {
        if (r < s) part[r][j] += part[r + s][j];
        __syncthreads();
    }
    if (r == 0) atomicAdd(&grad[j], part[0][j]);
}

int main()
{
    std::vector<float> hx(NOBS * P), hy(NOBS);
    for (auto &v : hx) v = rand() / (float)RAND_MAX - 0.5f;
    for (auto &v : hy) v = rand() % 5;
    float hb[P], hg[P];
    for (int j = 0; j < P; j++) hb[j] = 0.1f * (j - 8);
    cudaMemcpyToSymbol(beta, hb, sizeof(hb));
    float *X, *y, *mu, *resid, *grad;
    cudaMalloc(&X, NOBS * P * sizeof(float));
    cudaMalloc(&y, NOBS * sizeof(float));
    cudaMalloc(&mu, NOBS * sizeof(float));
    cudaMalloc(&resid, NOBS * sizeof(float));
    cudaMalloc(&grad, P * sizeof(float));
    cudaMemcpy(X, hx.data(), NOBS * P * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, hy.data(), NOBS * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(grad, 0, P * sizeof(float));
    glm_mean<<<(NOBS + 255) / 256, 256>>>(X, y, mu, resid);
    glm_gradient<<<200, dim3(P, 16)>>>(X, resid, grad);
    cudaMemcpy(hg, grad, sizeof(hg), cudaMemcpyDeviceToHost);
    for (int j = 0; j < P; j++) printf("%g ", hg[j]);
    printf("\n");
}
