// Anisotropic diffusion against speckle: coefficients, then the update.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define NR 512
#define NC 2048
#define BX 32
#define BY 8

__global__ void gradients(const float *J, float *dN, float *dS, float *dW, float *dE, float *C, float q0)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < NC && y < NR) {
        int k = y * NC + x;
        int up = (y == 0) ? k : k - NC;
        int down = (y == NR - 1) ? k : k + NC;
        int left = (x == 0) ? k : k - 1;
        int right = (x == NC - 1) ? k : k + 1;
        float c = J[k];
        float n = J[up] - c;
        float s = J[down] - c;
        float w = J[left] - c;
        float e = J[right] - c;
        float g2 = (n * n + s * s + w * w + e * e) / (c * c);
        float l = (n + s + w + e) / c;
        float num = 0.5f * g2 - 0.0625f * (l * l);
        float den = 1.0f + 0.25f * l;
        float q = num / (den * den);
        den = (q - q0) / (q0 * (1.0f + q0));
        float coef = 1.0f / (1.0f + den);
        dN[k] = n;
        dS[k] = s;
        dW[k] = w;
        dE[k] = e;
        C[k] = fminf(fmaxf(coef, 0.0f), 1.0f);
    }
}

__global__ void diffuse(float *J, const float *dN, const float *dS, const float *dW, const float *dE, const float *C,
                        float lambda)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= NC || y >= NR) return;
    int k = y * NC + x;
    float here = C[k];
    float south = C[min(y + 1, NR - 1) * NC + x];
    float east = C[y * NC + min(x + 1, NC - 1)];
    float div = here * dN[k] + south * dS[k] + here * dW[k] + east * dE[k];
    J[k] += 0.25f * lambda * div;
}

int main(void)
{
    size_t size = (size_t)NR * NC * sizeof(float);
    float *host = (float *)malloc(size);
    for (int i = 0; i < NR * NC; i++) host[i] = 1.0f + (float)rand() / RAND_MAX;
    float *J, *dN, *dS, *dW, *dE, *C;
    cudaMalloc((void **)&J, size);
    cudaMalloc((void **)&dN, size);
    cudaMalloc((void **)&dS, size);
    cudaMalloc((void **)&dW, size);
    cudaMalloc((void **)&dE, size);
    cudaMalloc((void **)&C, size);
    cudaMemcpy(J, host, size, cudaMemcpyHostToDevice);
    dim3 block(BX, BY);
    dim3 grid(NC / BX, NR / BY);
    for (int iter = 0; iter < 50; iter++) {
        gradients<<<grid, block>>>(J, dN, dS, dW, dE, C, 0.05f);
        diffuse<<<grid, block>>>(J, dN, dS, dW, dE, C, 0.5f);
    }
    cudaMemcpy(host, J, size, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    free(host);
    return 0;
}
