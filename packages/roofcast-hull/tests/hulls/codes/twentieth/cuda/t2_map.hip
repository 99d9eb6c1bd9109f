// mono-exponential T2 by log-linear least squares, echoes outermost
#include "hip/hip_runtime.h"
#include <iostream>
#include <vector>
#include <cmath>

static constexpr int NX = 192, NY = 192, NZ = 40, NE = 8;
static constexpr int NVOX = NX * NY * NZ;
__constant__ float kEcho[NE];

__global__ void fit_t2(const float* __restrict__ mag, float* __restrict__ t2, float* __restrict__ s0, float sx, float det)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= NVOX) return;
    float sy = 0.f, sxy = 0.f;
#pragma unroll
    for (int e = 0; e < NE; ++e) {
        float y = logf(mag[e * NVOX + v]);
        sy += y;
        sxy += kEcho[e] * y;
    }
    float slope = (NE * sxy - sx * sy) * det;
    t2[v] = -1.f / slope;
    s0[v] = expf((sy - slope * sx) * (1.f / NE));
}

// 3-D median free smoothing: six neighbours and itself
__global__ void smooth6(const float* in, float* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x == 0 || y == 0 || z == 0 || x >= NX - 1 || y >= NY - 1 || z >= NZ - 1) return;
    int p = (z * NY + y) * NX + x;
    out[p] = 0.4f * in[p] + 0.1f * (in[p - 1] + in[p + 1] + in[p - NX] + in[p + NX] + in[p - NX * NY] + in[p + NX * NY]);
}

int main()
{
    std::vector<float> mag((size_t)NE * NVOX);
    float te[NE], sx = 0, sxx = 0;
    for (int e = 0; e < NE; ++e) { te[e] = 10.f * (e + 1); sx += te[e]; sxx += te[e] * te[e]; }
    for (int e = 0; e < NE; ++e)
        for (int v = 0; v < NVOX; ++v) mag[(size_t)e * NVOX + v] = (100.f + v % 400) * std::exp(-te[e] / (30.f + v % 90));
    float det = 1.f / (NE * sxx - sx * sx);
    float *dm, *dt, *ds, *dsm;
    hipMalloc((void**)&dm, mag.size() * sizeof(float));
    hipMalloc((void**)&dt, NVOX * sizeof(float));
    hipMalloc((void**)&ds, NVOX * sizeof(float));
    hipMalloc((void**)&dsm, NVOX * sizeof(float));
    hipMemcpyToSymbol(HIP_SYMBOL(kEcho), te, sizeof te);
    hipMemcpy(dm, mag.data(), mag.size() * sizeof(float), hipMemcpyHostToDevice);
    fit_t2<<<(NVOX + 255) / 256, 256>>>(dm, dt, ds, sx, det);
    smooth6<<<dim3(NX / 64, NY / 4, NZ), dim3(64, 4)>>>(dt, dsm);
    float r;
    hipMemcpy(&r, dsm + NVOX / 2 + 77, sizeof r, hipMemcpyDeviceToHost);
    std::cout << r << "\n";
}
