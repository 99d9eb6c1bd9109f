#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int ATOMS = 300000;
constexpr int BONDS = 1000000;
struct Morse { float depth, width, length; };

__device__ inline float3 between(float4 a, float4 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ inline float norm2(float3 v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

__global__ void morse_energy(const int2 *bond, const float4 *pos, float *energy, Morse m)
{
    float e = 0.f;
    const int stride = gridDim.x * blockDim.x;
    for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < BONDS; b += stride) {
        int2 ij = bond[b];
        float r = sqrtf(norm2(between(pos[ij.x], pos[ij.y])));
        float x = 1.f - expf(m.width * (m.length - r));
        e += m.depth * x * x;
    }
    __shared__ float warp[8];
    for (int o = 16; o; o >>= 1) e += __shfl_down_sync(~0u, e, o);
    if (threadIdx.x % 32 == 0) warp[threadIdx.x / 32] = e;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.f;
        for (int w = 0; w < 8; ++w) s += warp[w];
        atomicAdd(energy, s);
    }
}

__global__ void morse_forces(const int2 *bond, const float4 *pos, float *force, Morse m)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= BONDS) return;
    int2 ij = bond[b];
    float3 d = between(pos[ij.x], pos[ij.y]);
    float r = sqrtf(norm2(d));
    float q = expf(m.width * (m.length - r));
    const float two_da = 2.f * m.depth * m.width;
    float s = two_da * q * (q - 1.f) / r;
    atomicAdd(&force[3 * ij.x + 0], s * d.x);
    atomicAdd(&force[3 * ij.x + 1], s * d.y);
    atomicAdd(&force[3 * ij.x + 2], s * d.z);
}

int main()
{
    std::vector<float4> hp(ATOMS);
    std::vector<int2> hb(BONDS);
    auto rnd = [] { return 30.f * rand() / RAND_MAX; };
    for (auto &p : hp) p = make_float4(rnd(), rnd(), rnd(), 0.f);
    for (auto &b : hb) { b.x = rand() % ATOMS; b.y = (b.x + 1 + rand() % 50) % ATOMS; }
    int2 *bond; float4 *pos; float *e, *force, he;
    cudaMalloc(&bond, BONDS * sizeof(int2));
    cudaMalloc(&pos, ATOMS * sizeof(float4));
    cudaMalloc(&force, 3 * ATOMS * sizeof(float));
    cudaMalloc(&e, sizeof(float));
    cudaMemcpy(bond, hb.data(), BONDS * sizeof(int2), cudaMemcpyHostToDevice);
    cudaMemcpy(pos, hp.data(), ATOMS * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemset(e, 0, sizeof(float));
    cudaMemset(force, 0, 3 * ATOMS * sizeof(float));
    Morse m{4.6f, 1.1f, 1.2f};
    morse_energy<<<264, 256>>>(bond, pos, e, m);
    morse_forces<<<(BONDS + 255) / 256, 256>>>(bond, pos, force, m);
    cudaMemcpy(&he, e, sizeof he, cudaMemcpyDeviceToHost);
    printf("E = %g\n", he);
}
