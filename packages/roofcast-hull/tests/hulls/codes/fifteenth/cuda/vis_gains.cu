// Apply per-antenna, per-channel complex gains to visibilities; then weighted power spectrum.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int NANT  = 64;
constexpr int NBL   = NANT * (NANT - 1) / 2;   // 2016
constexpr int NCHAN = 256;

__device__ __forceinline__ float2 cmul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ __forceinline__ float2 cmul_conj(float2 a, float2 b)   // a * conj(b)
{
    return make_float2(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y);
}

__global__ void apply_gains(float2 *vis, const float2 *gains, const int *ant1, const int *ant2)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    int bl = blockIdx.y;
    if (ch >= NCHAN) return;
    float2 gp = gains[ant1[bl] * NCHAN + ch];
    float2 gq = gains[ant2[bl] * NCHAN + ch];
    float2 v = vis[bl * NCHAN + ch];
    vis[bl * NCHAN + ch] = cmul_conj(cmul(gp, v), gq);
}

__global__ void weighted_power(const float2 *__restrict__ vis, const float *__restrict__ wt, float *__restrict__ power)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= NCHAN) return;
    float acc = 0.f;
    for (int bl = 0; bl < NBL; ++bl) {
        float2 v = vis[bl * NCHAN + ch];
        acc += wt[bl] * (v.x * v.x + v.y * v.y);
    }
    power[ch] = acc;
}

int main()
{
    std::vector<float2> hv(NBL * NCHAN), hg(NANT * NCHAN);
    std::vector<int> a1, a2;
    std::vector<float> hw(NBL);
    for (auto &v : hv) v = make_float2(rand() / (float)RAND_MAX - .5f, rand() / (float)RAND_MAX - .5f);
    for (auto &g : hg) g = make_float2(1.f + .1f * (rand() % 100) / 100.f, .05f);
    for (int p = 0; p < NANT; ++p)
        for (int q = p + 1; q < NANT; ++q) { a1.push_back(p); a2.push_back(q); }
    for (int i = 0; i < NBL; ++i) hw[i] = 1.f / (1 + i % 7);

    float2 *vis, *gains; int *d1, *d2; float *wt, *power;
    cudaMalloc(&vis, NBL * NCHAN * sizeof(float2));
    cudaMalloc(&gains, NANT * NCHAN * sizeof(float2));
    cudaMalloc(&d1, NBL * sizeof(int));
    cudaMalloc(&d2, NBL * sizeof(int));
    cudaMalloc(&wt, NBL * sizeof(float));
    cudaMalloc(&power, NCHAN * sizeof(float));
    cudaMemcpy(vis, hv.data(), NBL * NCHAN * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(gains, hg.data(), NANT * NCHAN * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(d1, a1.data(), NBL * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d2, a2.data(), NBL * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(wt, hw.data(), NBL * sizeof(float), cudaMemcpyHostToDevice);

    dim3 grid(NCHAN / 64, NBL);
    apply_gains<<<grid, 64>>>(vis, gains, d1, d2);
    weighted_power<<<NCHAN / 32, 32>>>(vis, wt, power);
    float p0;
    cudaMemcpy(&p0, power, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %s\n", p0, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
