// Reflectance of a dielectric multilayer at normal incidence, and its colour.
#include <cstdio>
#include <vector>
#include <cmath>

constexpr int kLayers = 16;
constexpr int kWaves = 1 << 16;

struct Field { float br, bi, cr, ci; };

template <int L>
__global__ void reflectance(const float *__restrict__ lambda, const float *__restrict__ thick,
                            const float *__restrict__ index, float *__restrict__ refl, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float k = 6.2831853f / lambda[i];
    Field f{1.0f, 0.0f, 1.52f, 0.0f};
#pragma unroll 4
    for (int j = L - 1; j >= 0; --j) {
        float nj = index[j];
        float d = k * nj * thick[j];
        float s = sinf(d), c = cosf(d);
        float q = s / nj, p = s * nj;
        Field g;
        g.br = c * f.br - q * f.ci;
        g.bi = c * f.bi + q * f.cr;
        g.cr = c * f.cr - p * f.bi;
        g.ci = c * f.ci + p * f.br;
        f = g;
    }
    float ur = f.br - f.cr, ui = f.bi - f.ci;
    float vr = f.br + f.cr, vi = f.bi + f.ci;
    refl[i] = (ur * ur + ui * ui) / (vr * vr + vi * vi);
}

__global__ void tristimulus(const float *refl, const float3 *cmf, float *xyz, int n)
{
    __shared__ float sx[256], sy[256], sz[256];
    float x = 0.f, y = 0.f, z = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float r = refl[i];
        float3 c = cmf[i];
        x += r * c.x;
        y += r * c.y;
        z += r * c.z;
    }
    int t = threadIdx.x;
    sx[t] = x; sy[t] = y; sz[t] = z;
    __syncthreads();
    for (int h = blockDim.x / 2; h > 0; h >>= 1) {
        if (t < h) { sx[t] += sx[t + h]; sy[t] += sy[t + h]; sz[t] += sz[t + h]; }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(&xyz[0], sx[0]);
        atomicAdd(&xyz[1], sy[0]);
        atomicAdd(&xyz[2], sz[0]);
    }
}

int main()
{
    std::vector<float> lam(kWaves), th(kLayers), ix(kLayers);
    std::vector<float3> cmf(kWaves);
    for (int i = 0; i < kWaves; ++i) {
        lam[i] = 380.f + 400.f * i / kWaves;
        float u = (lam[i] - 550.f) / 60.f;
        cmf[i] = make_float3(expf(-(u - 1) * (u - 1)), expf(-u * u), expf(-(u + 1.7f) * (u + 1.7f)));
    }
    for (int j = 0; j < kLayers; ++j) { ix[j] = j % 2 ? 1.38f : 2.35f; th[j] = 550.f / 4 / ix[j]; }
    float *dl, *dt, *dn, *dr, *dx; float3 *dc;
    cudaMalloc(&dl, kWaves * sizeof(float)); cudaMalloc(&dr, kWaves * sizeof(float));
    cudaMalloc(&dt, kLayers * sizeof(float)); cudaMalloc(&dn, kLayers * sizeof(float));
    cudaMalloc(&dc, kWaves * sizeof(float3)); cudaMalloc(&dx, 3 * sizeof(float));
    cudaMemcpy(dl, lam.data(), kWaves * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, th.data(), kLayers * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dn, ix.data(), kLayers * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, cmf.data(), kWaves * sizeof(float3), cudaMemcpyHostToDevice);
    cudaMemset(dx, 0, 3 * sizeof(float));
    reflectance<kLayers><<<(kWaves + 127) / 128, 128>>>(dl, dt, dn, dr, kWaves);
    tristimulus<<<32, 256>>>(dr, dc, dx, kWaves);
    float out[3];
    cudaMemcpy(out, dx, sizeof out, cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", out[0], out[1], out[2]);
    return 0;
}
