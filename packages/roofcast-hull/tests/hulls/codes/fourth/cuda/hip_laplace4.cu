#include "hip/hip_runtime.h"
#include <iostream>

// Laplacian of fourth order in two dimensions
template <typename Real>
__global__ void laplace4(const Real* __restrict__ f, Real* __restrict__ lap, Real c0, Real c1, Real c2, int ny, int nx)
{
    const int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    const int j = hipBlockIdx_y * hipBlockDim_y + hipThreadIdx_y;
    if (i < 2 || j < 2 || i >= nx - 2 || j >= ny - 2) return;
    const int at = j * nx + i;
    Real near = f[at - 1] + f[at + 1] + f[at - nx] + f[at + nx];
    Real far = f[at - 2] + f[at + 2] + f[at - 2 * nx] + f[at + 2 * nx];
    lap[at] = c0 * f[at] + c1 * near + c2 * far;
}

int main()
{
    const int ny = 900, nx = 700;
    const size_t bytes = sizeof(double) * ny * nx;
    double* host = new double[ny * nx];
    for (int k = 0; k < ny * nx; ++k) host[k] = (k % 50) * 0.02;
    double *f, *lap;
    hipMalloc(&f, bytes);
    hipMalloc(&lap, bytes);
    hipMemcpy(f, host, bytes, hipMemcpyHostToDevice);
    hipMemset(lap, 0, bytes);
    dim3 threads(64, 4);
    dim3 blocks((nx + threads.x - 1) / threads.x, (ny + threads.y - 1) / threads.y);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(laplace4<double>), blocks, threads, 0, 0, f, lap, -5.0, 4.0 / 3.0, -1.0 / 12.0, ny, nx);
    hipMemcpy(host, lap, bytes, hipMemcpyDeviceToHost);
    std::cout << host[nx * 5 + 5] << std::endl;
    hipFree(f);
    hipFree(lap);
    delete[] host;
    return 0;
}
