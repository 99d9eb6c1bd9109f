// Ensemble of Lorenz's system, Runge-Kutta of fourth order.
#include <cuda_runtime.h>
#include <cstdio>

const int STEPS = 100;

__device__ void slope(float x, float y, float z, float& dx, float& dy, float& dz)
{
    dx = 10.0f * (y - x);
    dy = x * (28.0f - z) - y;
    dz = x * y - 2.6666667f * z;
}

__global__ void rk4_ensemble(float* px, float* py, float* pz, float h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = px[i], y = py[i], z = pz[i];
    for (int s = 0; s < STEPS; ++s) {
        float ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz;
        slope(x, y, z, ax, ay, az);
        slope(x + 0.5f * h * ax, y + 0.5f * h * ay, z + 0.5f * h * az, bx, by, bz);
        slope(x + 0.5f * h * bx, y + 0.5f * h * by, z + 0.5f * h * bz, cx, cy, cz);
        slope(x + h * cx, y + h * cy, z + h * cz, dx, dy, dz);
        x += h / 6.0f * (ax + 2.0f * bx + 2.0f * cx + dx);
        y += h / 6.0f * (ay + 2.0f * by + 2.0f * cy + dy);
        z += h / 6.0f * (az + 2.0f * bz + 2.0f * cz + dz);
    }
    px[i] = x;
    py[i] = y;
    pz[i] = z;
}

int main()
{
    const int n = 50000;
    float *x, *y, *z;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&z, n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0f + 1e-6f * i;
        y[i] = 1.0f;
        z[i] = 20.0f;
    }
    rk4_ensemble<<<(n + 63) / 64, 64>>>(x, y, z, 0.01f, n);
    cudaDeviceSynchronize();
    printf("%f %f %f\n", x[0], y[0], z[0]);
    cudaFree(x);
    cudaFree(y);
    cudaFree(z);
    return 0;
}
