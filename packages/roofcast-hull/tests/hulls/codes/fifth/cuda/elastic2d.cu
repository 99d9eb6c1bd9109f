// P-SV waves, velocity and stress on a staggered grid, fourth order in space, second in time
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define NX 800
#define NZ 600
#define R 2
#define C1 (1.125f)
#define C2 (-0.041666667f)
#define IDX(z, x) ((z) * NX + (x))

#define BACK_X(f)  (C1 * (f[i] - f[i - 1]) + C2 * (f[i + 1] - f[i - 2]))
#define FORW_X(f)  (C1 * (f[i + 1] - f[i]) + C2 * (f[i + 2] - f[i - 1]))
#define BACK_Z(f)  (C1 * (f[i] - f[i - NX]) + C2 * (f[i + NX] - f[i - 2 * NX]))
#define FORW_Z(f)  (C1 * (f[i + NX] - f[i]) + C2 * (f[i + 2 * NX] - f[i - NX]))

__global__ void update_velocity(float *vx, float *vz, const float *txx, const float *tzz, const float *txz,
                                const float *buoy, float dt_h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int z = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < R || x >= NX - R || z < R || z >= NZ - R) return;
    int i = IDX(z, x);
    vx[i] += dt_h * buoy[i] * (BACK_X(txx) + BACK_Z(txz));
    vz[i] += dt_h * buoy[i] * (FORW_X(txz) + FORW_Z(tzz));
}

__global__ void update_stress(float *txx, float *tzz, float *txz, const float *vx, const float *vz,
                              const float *lam, const float *mu, float dt_h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int z = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < R || x >= NX - R || z < R || z >= NZ - R) return;
    int i = IDX(z, x);
    float dvx_dx = FORW_X(vx);
    float dvz_dz = BACK_Z(vz);
    float dvx_dz = FORW_Z(vx);
    float dvz_dx = BACK_X(vz);
    float l = lam[i];
    float m = mu[i];
    float l2m = l + 2.0f * m;
    txx[i] += dt_h * (l2m * dvx_dx + l * dvz_dz);
    tzz[i] += dt_h * (l * dvx_dx + l2m * dvz_dz);
    txz[i] += dt_h * m * (dvx_dz + dvz_dx);
}

static float *zeros(void)
{
    float *p;
    cudaMalloc((void **)&p, sizeof(float) * NX * NZ);
    cudaMemset(p, 0, sizeof(float) * NX * NZ);
    return p;
}

int main(void)
{
    const float h = 5.0f, dt = 0.0005f, rho = 2000.0f, vp = 3000.0f, vs = 1700.0f, f0 = 15.0f;
    const int nt = 200;
    size_t bytes = sizeof(float) * NX * NZ;
    float *tmp = (float *)malloc(bytes);
    float *vx = zeros(), *vz = zeros(), *txx = zeros(), *tzz = zeros(), *txz = zeros();
    float *lam = zeros(), *mu = zeros(), *buoy = zeros();

    for (int i = 0; i < NX * NZ; i++) tmp[i] = rho * vs * vs;
    cudaMemcpy(mu, tmp, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < NX * NZ; i++) tmp[i] = rho * (vp * vp - 2 * vs * vs);
    cudaMemcpy(lam, tmp, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < NX * NZ; i++) tmp[i] = 1.0f / rho;
    cudaMemcpy(buoy, tmp, bytes, cudaMemcpyHostToDevice);

    dim3 block(32, 8);
    dim3 grid((NX + block.x - 1) / block.x, (NZ + block.y - 1) / block.y);
    for (int it = 0; it < nt; it++) {
        // explosive source: a Ricker wavelet added to one sample by way of the host
        float a = (float)M_PI * f0 * (it * dt - 1.2f / f0);
        float src[2], amp = (1 - 2 * a * a) * expf(-a * a);
        int at = IDX(NZ / 2, NX / 2);
        cudaMemcpy(&src[0], txx + at, sizeof(float), cudaMemcpyDeviceToHost);
        cudaMemcpy(&src[1], tzz + at, sizeof(float), cudaMemcpyDeviceToHost);
        src[0] += amp;
        src[1] += amp;
        cudaMemcpy(txx + at, &src[0], sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(tzz + at, &src[1], sizeof(float), cudaMemcpyHostToDevice);

        update_velocity<<<grid, block>>>(vx, vz, txx, tzz, txz, buoy, dt / h);
        update_stress<<<grid, block>>>(txx, tzz, txz, vx, vz, lam, mu, dt / h);
    }
    cudaMemcpy(tmp, vz, bytes, cudaMemcpyDeviceToHost);
    float peak = 0;
    for (int i = 0; i < NX * NZ; i++) peak = fmaxf(peak, fabsf(tmp[i]));
    printf("after %d steps |vz| <= %g\n", nt, peak);
    cudaFree(vx); cudaFree(vz); cudaFree(txx); cudaFree(tzz); cudaFree(txz);
    cudaFree(lam); cudaFree(mu); cudaFree(buoy);
    free(tmp);
    return 0;
}
