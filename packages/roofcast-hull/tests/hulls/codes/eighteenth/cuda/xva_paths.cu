// Exposure of a receiver swap under a one factor short rate: all paths, then EPE and ENE by date.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int kPaths = 65536;
constexpr int kDates = 120;

__device__ unsigned scramble(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

__device__ float uniform(unsigned key) { return (scramble(key) >> 8) * (1.f / 16777216.f) - 0.5f; }

struct Vasicek { float kappa, theta, sigma, r0, dt; };

__global__ void simulate(Vasicek m, float* value)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    float r = m.r0;
    const float drift = m.kappa * m.dt;
    const float vol = m.sigma * sqrtf(m.dt) * 3.4641016f;
    for (int d = 0; d < kDates; ++d) {
        r += drift * (m.theta - r) + vol * uniform(p * kDates + d);
        value[d * kPaths + p] = (0.035f - r) * (kDates - d) * m.dt;
    }
}

__global__ void exposure_profile(const float* value, float* epe, float* ene)
{
    __shared__ float2 s[256];
    const float* v = value + (size_t)blockIdx.x * kPaths;
    float2 a = make_float2(0.f, 0.f);
    for (int p = threadIdx.x; p < kPaths; p += 256) {
        a.x += fmaxf(v[p], 0.f);
        a.y += fminf(v[p], 0.f);
    }
    s[threadIdx.x] = a;
    for (int w = 128; w > 0; w /= 2) {
        __syncthreads();
        if (threadIdx.x < w) {
            s[threadIdx.x].x += s[threadIdx.x + w].x;
            s[threadIdx.x].y += s[threadIdx.x + w].y;
        }
    }
    if (threadIdx.x == 0) {
        epe[blockIdx.x] = s[0].x / kPaths;
        ene[blockIdx.x] = s[0].y / kPaths;
    }
}

int main()
{
    float *v, *epe, *ene;
    cudaMalloc(&v, sizeof(float) * kPaths * kDates);
    cudaMalloc(&epe, sizeof(float) * kDates);
    cudaMalloc(&ene, sizeof(float) * kDates);
    Vasicek m{0.12f, 0.04f, 0.012f, 0.03f, 1.f / 12};
    simulate<<<kPaths / 128, 128>>>(m, v);
    exposure_profile<<<kDates, 256>>>(v, epe, ene);
    float h[kDates];
    cudaMemcpy(h, epe, sizeof h, cudaMemcpyDeviceToHost);
    for (int d = 0; d < kDates; d += 12) printf("%6.2f  %g\n", d / 12.0, h[d]);
}
