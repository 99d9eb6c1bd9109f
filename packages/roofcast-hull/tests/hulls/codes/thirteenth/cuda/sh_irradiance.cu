// Diffuse light from nine spherical-harmonic coefficients of each colour, for a buffer of normals.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

__constant__ float coef[27];

__device__ __forceinline__ float channel(const float* c, float x, float y, float z, float xy, float yz, float xz, float z3, float d)
{
    return fmaxf(c[0] + c[1] * y + c[2] * z + c[3] * x + c[4] * xy + c[5] * yz + c[6] * z3 + c[7] * xz + c[8] * d, 0.0f);
}

__global__ void irradiance(const float* nx, const float* ny, const float* nz, float* r, float* g, float* b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = nx[i], y = ny[i], z = nz[i];
    float xy = x * y, yz = y * z, xz = x * z;
    float z3 = 3.0f * z * z - 1.0f;
    float d = x * x - y * y;
    r[i] = channel(coef, x, y, z, xy, yz, xz, z3, d);
    g[i] = channel(coef + 9, x, y, z, xy, yz, xz, z3, d);
    b[i] = channel(coef + 18, x, y, z, xy, yz, xz, z3, d);
}

int main()
{
    const int n = 1 << 21;
    std::vector<float> hx(n), hy(n), hz(n);
    for (int i = 0; i < n; i++) {
        float t = 0.001f * i, u = 2.0f * i / n - 1.0f, s = sqrtf(1.0f - u * u);
        hx[i] = s * cosf(t); hy[i] = s * sinf(t); hz[i] = u;
    }
    float c[27];
    for (int k = 0; k < 27; k++) c[k] = 0.8f / (1 + k % 9);
    cudaMemcpyToSymbol(coef, c, sizeof(c));
    float *x, *y, *z, *r, *g, *b;
    cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, n * sizeof(float)); cudaMalloc(&z, n * sizeof(float));
    cudaMalloc(&r, n * sizeof(float)); cudaMalloc(&g, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(x, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, hy.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(z, hz.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    irradiance<<<(n + 255) / 256, 256>>>(x, y, z, r, g, b, n);
    float f;
    cudaMemcpy(&f, r, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", f);
}
