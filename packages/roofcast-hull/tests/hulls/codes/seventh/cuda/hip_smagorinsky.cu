// Operations of one unit of work verified with self-counting numbers in Python; sizes and bytes by arithmetic.
// Smagorinsky eddy viscosity nu_t = (Cs D)^2 |S| of a velocity field with one layer of ghost cells (HIP).
// By hand: 9 derivatives of 2, 3 off-diagonals of 2, 13 for the sum, sqrt, * = 39 a cell.
#include "hip/hip_runtime.h"
#include <iostream>

#define NX 128
#define NY 128
#define NZ 128
#define PX (NX + 2)
#define PY (NY + 2)
#define PZ (NZ + 2)
#define P(i, j, k) (((k) * PY + (j)) * PX + (i))

__global__ void eddy_viscosity(const float *__restrict__ u, const float *__restrict__ v,
                               const float *__restrict__ w, float *__restrict__ nut,
                               const float inv2h, const float csd2)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    const int j = threadIdx.y + blockIdx.y * blockDim.y;
    const int k = blockIdx.z;
    if (i >= NX || j >= NY) return;

    const int E = P(i + 2, j + 1, k + 1), W = P(i, j + 1, k + 1);
    const int N = P(i + 1, j + 2, k + 1), S = P(i + 1, j, k + 1);
    const int T = P(i + 1, j + 1, k + 2), B = P(i + 1, j + 1, k);

    const float ux = (u[E] - u[W]) * inv2h, uy = (u[N] - u[S]) * inv2h, uz = (u[T] - u[B]) * inv2h;
    const float vx = (v[E] - v[W]) * inv2h, vy = (v[N] - v[S]) * inv2h, vz = (v[T] - v[B]) * inv2h;
    const float wx = (w[E] - w[W]) * inv2h, wy = (w[N] - w[S]) * inv2h, wz = (w[T] - w[B]) * inv2h;

    const float sxy = 0.5f * (uy + vx);
    const float sxz = 0.5f * (uz + wx);
    const float syz = 0.5f * (vz + wy);
    const float ss = 2.0f * (ux * ux + vy * vy + wz * wz + 2.0f * (sxy * sxy + sxz * sxz + syz * syz));
    nut[(k * NY + j) * NX + i] = csd2 * sqrtf(ss);
}

int main()
{
    const size_t padded = (size_t)PX * PY * PZ, cells = (size_t)NX * NY * NZ;
    float *h = new float[padded];
    for (size_t n = 0; n < padded; ++n) h[n] = 0.001f * (n % 977);
    float *u, *v, *w, *nut;
    hipMalloc(&u, padded * sizeof(float));
    hipMalloc(&v, padded * sizeof(float));
    hipMalloc(&w, padded * sizeof(float));
    hipMalloc(&nut, cells * sizeof(float));
    hipMemcpy(u, h, padded * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(v, h, padded * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(w, h, padded * sizeof(float), hipMemcpyHostToDevice);

    eddy_viscosity<<<dim3(NX / 32, NY / 8, NZ), dim3(32, 8)>>>(u, v, w, nut, 0.5f * NX, 0.0289f / (NX * NX));
    hipDeviceSynchronize();
    hipMemcpy(h, nut, sizeof(float), hipMemcpyDeviceToHost);
    std::cout << h[0] << std::endl;
    hipFree(u); hipFree(v); hipFree(w); hipFree(nut);
    delete[] h;
}
