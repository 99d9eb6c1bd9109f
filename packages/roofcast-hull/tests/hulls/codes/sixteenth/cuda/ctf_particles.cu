// Cryo-EM: contrast transfer of each particle's half spectrum, a defocus each
#include <cstdio>
#include <cuda_runtime.h>

namespace ctf {
constexpr int PARTICLES = 64, N = 512, HALF = N / 2 + 1;

struct Optics { float a, b, falloff, inv_area; };

__global__ void apply(float2 *__restrict__ spectra, const float *__restrict__ defocus, Optics o)
{
    const int kx = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y, p = blockIdx.z;
    if (kx >= HALF) return;
    const int ky = row < N / 2 ? row : row - N;
    const float s2 = (float)(kx * kx + ky * ky) * o.inv_area;
    const float chi = s2 * (o.a * defocus[p] - o.b * s2);
    const float h = sinf(chi) * expf(o.falloff * s2);
    float2 &f = spectra[((size_t)p * N + row) * HALF + kx];
    f.x *= h;
    f.y *= h;
}
}

int main()
{
    const size_t n = (size_t)ctf::PARTICLES * ctf::N * ctf::HALF;
    float2 *s; float *df;
    cudaMallocManaged(&s, n * sizeof(float2));
    cudaMallocManaged(&df, ctf::PARTICLES * sizeof(float));
    for (size_t i = 0; i < n; i++) s[i] = make_float2(1.f + i % 3, -0.5f * (i % 5));
    for (int i = 0; i < ctf::PARTICLES; i++) df[i] = 1.2f + 0.01f * i;
    ctf::Optics o{300.f, 40.f, -12.f, 1.f / (ctf::N * ctf::N)};
    ctf::apply<<<dim3((ctf::HALF + 127) / 128, ctf::N, ctf::PARTICLES), 128>>>(s, df, o);
    cudaDeviceSynchronize();
    printf("%f\n", s[99].x);
}
