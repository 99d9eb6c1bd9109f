// Generalised Born: radii from a sum over all atoms (tiles in shared memory), then energies of atoms.
#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

constexpr int ATOMS = 8192;
constexpr int TILE = 128;

__global__ void born_sum(const float4 *atom, float *born)
{
    __shared__ float4 other[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    const float4 me = atom[i];
    float acc = 0.0f;
    for (int t = 0; t < ATOMS / TILE; ++t) {
        other[threadIdx.x] = atom[t * TILE + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < TILE; ++j) {
            const float dx = me.x - other[j].x;
            const float dy = me.y - other[j].y;
            const float dz = me.z - other[j].z;
            const float inv = 1.0f / (dx * dx + dy * dy + dz * dz + 4.0f);
            acc += other[j].w * inv * inv;
        }
        __syncthreads();
    }
    born[i] = 1.0f / fmaxf(1.0f / me.w - acc, 0.02f);
}

__global__ void gb_energy(const float4 *atom, const float *charge, const float *born, float *energy, float scale)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = atom[i];
    const float ri = born[i];
    float e = 0.0f;
    for (int j = 0; j < ATOMS; ++j) {
        const float4 o = atom[j];
        const float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z;
        const float r2 = dx * dx + dy * dy + dz * dz;
        const float rr = ri * born[j];
        e += charge[j] / sqrtf(r2 + rr * expf(r2 / (-4.0f * rr)));
    }
    energy[i] = scale * charge[i] * e;
}

int main()
{
    std::vector<float4> a(ATOMS);
    std::vector<float> q(ATOMS);
    for (int i = 0; i < ATOMS; i++) {
        a[i] = make_float4(3.0f * (i % 20), 3.0f * (i / 20 % 20), 3.0f * (i / 400), 1.2f + 0.1f * (i % 5));
        q[i] = (i % 3 - 1) * 0.4f;
    }
    float4 *atom;
    float *charge, *born, *energy;
    cudaMalloc(&atom, sizeof(float4) * ATOMS);
    cudaMalloc(&charge, sizeof(float) * ATOMS);
    cudaMalloc(&born, sizeof(float) * ATOMS);
    cudaMalloc(&energy, sizeof(float) * ATOMS);
    cudaMemcpy(atom, a.data(), sizeof(float4) * ATOMS, cudaMemcpyHostToDevice);
    cudaMemcpy(charge, q.data(), sizeof(float) * ATOMS, cudaMemcpyHostToDevice);
    born_sum<<<ATOMS / TILE, TILE>>>(atom, born);
    gb_energy<<<ATOMS / 64, 64>>>(atom, charge, born, energy, -166.0f);
    cudaMemcpy(q.data(), energy, sizeof(float) * ATOMS, cudaMemcpyDeviceToHost);
    double total = 0;
    for (float e : q) total += e;
    printf("%g kcal/mol\n", total);
    return cudaGetLastError() != cudaSuccess;
}
