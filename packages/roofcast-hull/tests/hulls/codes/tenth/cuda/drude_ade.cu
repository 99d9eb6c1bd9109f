// Two-dimensional TE waves in a periodic array of Drude metal rods: auxiliary currents, Yee grid.
// By hand: 3 a current, 5 a field component; 5 for Hz.
// Verified: operations of a unit with self-counting numbers in Python; compiled with nvcc, not run.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define NX 2048
#define NY 2048

typedef float real;

#define CK(x) checkit((x), #x, __LINE__)
static void checkit(cudaError_t e, const char* what, int line)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "line %d: %s -> %s\n", line, what, cudaGetErrorString(e));
        exit(2);
    }
}

__global__ void update_E(const real* Hz, real* Ex, real* Ey, real* Jx, real* Jy, const real* beta,
                         real alpha, real ce, real inv_d)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    int j = blockDim.y * blockIdx.y + threadIdx.y;
    if (i >= NX || j >= NY) return;
    int im = (i == 0) ? NX - 1 : i - 1;
    int jm = (j == 0) ? NY - 1 : j - 1;
    int c = j * NX + i;

    real b = beta[c];
    real jx = alpha * Jx[c] + b * Ex[c];
    real jy = alpha * Jy[c] + b * Ey[c];
    real h = Hz[c];
    Ex[c] += ce * ((h - Hz[jm * NX + i]) * inv_d - jx);
    Ey[c] += ce * ((Hz[j * NX + im] - h) * inv_d - jy);
    Jx[c] = jx;
    Jy[c] = jy;
}

__global__ void update_H(real* Hz, const real* Ex, const real* Ey, real ch)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    int j = blockDim.y * blockIdx.y + threadIdx.y;
    if (i >= NX || j >= NY) return;
    int ip = (i + 1) % NX;
    int jp = (j + 1) % NY;
    int c = j * NX + i;
    Hz[c] += ch * ((Ex[jp * NX + i] - Ex[c]) - (Ey[j * NX + ip] - Ey[c]));
}

int main()
{
    const size_t bytes = sizeof(real) * NX * NY;
    std::vector<real> host(NX * NY);

    real *Hz, *Ex, *Ey, *Jx, *Jy, *beta;
    CK(cudaMalloc(&Hz, bytes));
    CK(cudaMalloc(&Ex, bytes));
    CK(cudaMalloc(&Ey, bytes));
    CK(cudaMalloc(&Jx, bytes));
    CK(cudaMalloc(&Jy, bytes));
    CK(cudaMalloc(&beta, bytes));
    CK(cudaMemset(Ex, 0, bytes));
    CK(cudaMemset(Ey, 0, bytes));
    CK(cudaMemset(Jx, 0, bytes));
    CK(cudaMemset(Jy, 0, bytes));

    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            real dx = (i % 256) - 128, dy = (j % 256) - 128;
            host[j * NX + i] = dx * dx + dy * dy < 60 * 60 ? 0.08f : 0.0f;
        }
    CK(cudaMemcpy(beta, host.data(), bytes, cudaMemcpyHostToDevice));
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) host[j * NX + i] = sinf(2.0f * 3.14159265f * 8 * i / NX);
    CK(cudaMemcpy(Hz, host.data(), bytes, cudaMemcpyHostToDevice));

    dim3 b(32, 8), g(NX / 32, NY / 8);
    for (int t = 0; t < 200; t++) {
        update_E<<<g, b>>>(Hz, Ex, Ey, Jx, Jy, beta, 0.995f, 0.5f, 1.0f);
        update_H<<<g, b>>>(Hz, Ex, Ey, 0.5f);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(host.data(), Hz, bytes, cudaMemcpyDeviceToHost));
    printf("Hz centre: %e\n", host[NY / 2 * NX + NX / 2]);
    cudaFree(Hz); cudaFree(Ex); cudaFree(Ey); cudaFree(Jx); cudaFree(Jy); cudaFree(beta);
    return 0;
}
