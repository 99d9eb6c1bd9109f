#include <hip/hip_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

// (laplace + k^2 eps) u on a box; each thread walks one column
constexpr int NZ = 96, NY = 128, NX = 128;
constexpr int PLANE = NY * NX;
constexpr int CELLS = NZ * PLANE;

__global__ void apply_helmholtz(const float *__restrict__ u, const float *__restrict__ eps, float *__restrict__ out, float inv_h2, float k2)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= NX - 1 || y >= NY - 1) return;
    int c = y * NX + x;
    float below = u[c];
    c += PLANE;
    float here = u[c];
    for (int z = 1; z < NZ - 1; z++) {
        float above = u[c + PLANE];
        float ring = u[c - 1] + u[c + 1] + u[c - NX] + u[c + NX] + below + above;
        out[c] = (ring - 6.f * here) * inv_h2 + k2 * eps[c] * here;
        below = here;
        here = above;
        c += PLANE;
    }
}

__global__ void misfit(const float *f, const float *Au, float *block_sum)
{
    __shared__ float warp[8];
    float s = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < CELLS; i += gridDim.x * blockDim.x) {
        float d = f[i] - Au[i];
        s += d * d;
    }
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    if (threadIdx.x % 32 == 0) warp[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        float t = 0.f;
        for (int w = 0; w < 8; w++) t += warp[w];
        block_sum[blockIdx.x] = t;
    }
}

int main()
{
    std::vector<float> h(CELLS), e(CELLS), f(CELLS);
    for (int i = 0; i < CELLS; i++) { h[i] = sinf(i * 0.02f); e[i] = 1.f + 0.5f * (i % 11 == 0); f[i] = cosf(i * 0.01f); }
    float *u, *eps, *Au, *rhs, *part, p[96];
    hipMalloc(&u, CELLS * sizeof(float));
    hipMalloc(&eps, CELLS * sizeof(float));
    hipMalloc(&Au, CELLS * sizeof(float));
    hipMalloc(&rhs, CELLS * sizeof(float));
    hipMalloc(&part, 96 * sizeof(float));
    hipMemcpy(u, h.data(), CELLS * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(eps, e.data(), CELLS * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(rhs, f.data(), CELLS * sizeof(float), hipMemcpyHostToDevice);
    hipMemset(Au, 0, CELLS * sizeof(float));
    apply_helmholtz<<<dim3(NX / 32, NY / 4), dim3(32, 4)>>>(u, eps, Au, 100.f, 2.5f);
    misfit<<<96, 256>>>(rhs, Au, part);
    hipMemcpy(p, part, sizeof p, hipMemcpyDeviceToHost);
    double sum = 0;
    for (float v : p) sum += v;
    printf("%g\n", sum);
}
