#include <cstdio>
#include <cuda_runtime.h>
#define G 64
#define NATOM 48

struct Atom { float x, y, z, zeta; };
__constant__ Atom atoms[NATOM];

// promolecular density of 1s functions on a cubic grid
__global__ void density(float *rho, float origin, float h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    float x = origin + i * h, y = origin + j * h, z = origin + k * h, sum = 0;
    for (int a = 0; a < NATOM; a++) {
        float dx = x - atoms[a].x, dy = y - atoms[a].y, dz = z - atoms[a].z;
        float r = sqrtf(dx * dx + dy * dy + dz * dz);
        sum += expf(atoms[a].zeta * r * -2.f);
    }
    rho[(k * G + j) * G + i] = sum;
}

// reduced density gradient, interior points
__global__ void reduced_gradient(const float *rho, float *s, float half_inv_h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i == 0 || j == 0 || k == 0 || i >= G - 1 || j >= G - 1 || k >= G - 1) return;
    int c = (k * G + j) * G + i;
    float gx = (rho[c + 1] - rho[c - 1]) * half_inv_h;
    float gy = (rho[c + G] - rho[c - G]) * half_inv_h;
    float gz = (rho[c + G * G] - rho[c - G * G]) * half_inv_h;
    float d = fmaxf(rho[c], 1e-8f);
    s[c] = sqrtf(gx * gx + gy * gy + gz * gz) / (d * cbrtf(d));
}

int main()
{
    Atom h[NATOM];
    for (int a = 0; a < NATOM; a++) h[a] = {a % 4 * 1.4f, a / 4 % 4 * 1.4f, a / 16 * 1.4f, 1.0f + 0.2f * (a % 3)};
    cudaMemcpyToSymbol(atoms, h, sizeof h);
    float *rho, *s;
    cudaMalloc(&rho, G * G * G * sizeof(float));
    cudaMalloc(&s, G * G * G * sizeof(float));
    cudaMemset(s, 0, G * G * G * sizeof(float));
    dim3 block(32, 4, 2), grid(G / 32, G / 4, G / 2);
    density<<<grid, block>>>(rho, -2.f, 0.15f);
    reduced_gradient<<<grid, block>>>(rho, s, 0.5f / 0.15f);
    float out;
    cudaMemcpy(&out, s + (32 * G + 32) * G + 32, sizeof(float), cudaMemcpyDeviceToHost);
    printf("s = %g, %s\n", out, cudaGetErrorString(cudaGetLastError()));
}
