// Kinetic energy and total momentum of a particle set (AMD, wavefronts of 64). w of each float4 is the mass.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

#define HIP_CHECK(expr)                                                                  \
    do {                                                                                 \
        hipError_t e = (expr);                                                           \
        if (e != hipSuccess) {                                                           \
            std::fprintf(stderr, "HIP error %s at line %d\n", hipGetErrorString(e), __LINE__); \
            std::abort();                                                                \
        }                                                                                \
    } while (0)

constexpr int kParticles = 1500000;
constexpr int kBlock = 256;
constexpr int kGrid = 480;

__device__ inline double waveSum(double v)
{
    for (int offset = warpSize / 2; offset > 0; offset >>= 1) v += __shfl_down(v, offset);
    return v;
}

__global__ __launch_bounds__(kBlock) void kineticAndMomentum(const float4* __restrict__ vel, double* __restrict__ totals, int n)
{
    double px = 0.0, py = 0.0, pz = 0.0, ke = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float4 v = vel[i];
        const float mx = v.w * v.x;
        const float my = v.w * v.y;
        const float mz = v.w * v.z;
        px += mx;
        py += my;
        pz += mz;
        ke += 0.5f * (mx * v.x + my * v.y + mz * v.z);
    }
    px = waveSum(px);
    py = waveSum(py);
    pz = waveSum(pz);
    ke = waveSum(ke);
    if ((threadIdx.x & (warpSize - 1)) == 0) {
        atomicAdd(&totals[0], px);
        atomicAdd(&totals[1], py);
        atomicAdd(&totals[2], pz);
        atomicAdd(&totals[3], ke);
    }
}

int main()
{
    std::vector<float4> h(kParticles);
    for (int i = 0; i < kParticles; ++i) h[i] = make_float4(0.001f * (i % 17), -0.002f * (i % 5), 0.1f, 1.0f + (i & 1));
    float4* dVel = nullptr;
    double* dTotals = nullptr;
    HIP_CHECK(hipMalloc(&dVel, h.size() * sizeof(float4)));
    HIP_CHECK(hipMalloc(&dTotals, 4 * sizeof(double)));
    HIP_CHECK(hipMemcpy(dVel, h.data(), h.size() * sizeof(float4), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemset(dTotals, 0, 4 * sizeof(double)));
    hipLaunchKernelGGL(kineticAndMomentum, dim3(kGrid), dim3(kBlock), 0, 0, dVel, dTotals, kParticles);
    HIP_CHECK(hipGetLastError());
    double totals[4];
    HIP_CHECK(hipMemcpy(totals, dTotals, sizeof totals, hipMemcpyDeviceToHost));
    std::printf("p = (%g, %g, %g), E = %g\n", totals[0], totals[1], totals[2], totals[3]);
    HIP_CHECK(hipFree(dVel));
    HIP_CHECK(hipFree(dTotals));
    return 0;
}
