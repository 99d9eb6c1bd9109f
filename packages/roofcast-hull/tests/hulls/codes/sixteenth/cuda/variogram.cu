// Geostatistics: experimental variogram, every pair of samples by distance; tiles of samples pass through shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int SAMPLES = 8192, LAGS = 48, TILE = 256;

struct Sample { float x, y, z; };

__global__ void pair_lags(const Sample *__restrict__ s, float *__restrict__ gamma, unsigned *__restrict__ pairs, float per_lag)
{
    __shared__ Sample tile[TILE];
    __shared__ float g[LAGS];
    __shared__ unsigned n[LAGS];
    for (int b = threadIdx.x; b < LAGS; b += TILE) { g[b] = 0.f; n[b] = 0u; }
    const Sample me = s[blockIdx.x * TILE + threadIdx.x];
    for (int base = 0; base < SAMPLES; base += TILE) {
        __syncthreads();
        tile[threadIdx.x] = s[base + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; ++j) {
            const float dx = me.x - tile[j].x, dy = me.y - tile[j].y, dz = me.z - tile[j].z;
            const int lag = (int)(sqrtf(dx * dx + dy * dy) * per_lag);
            if (lag >= LAGS) continue;
            atomicAdd(&g[lag], 0.5f * dz * dz);
            atomicAdd(&n[lag], 1u);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < LAGS; b += TILE) {
        atomicAdd(gamma + b, g[b]);
        atomicAdd(pairs + b, n[b]);
    }
}

__global__ void mean_lags(float *gamma, const unsigned *pairs)
{
    const int b = threadIdx.x;
    if (b < LAGS) gamma[b] /= (float)max(pairs[b], 1u);
}

int main()
{
    std::vector<Sample> h(SAMPLES);
    for (auto &p : h) p = {rand() / (float)RAND_MAX, rand() / (float)RAND_MAX, rand() / (float)RAND_MAX};
    Sample *s; float *gamma; unsigned *pairs;
    cudaMalloc(&s, SAMPLES * sizeof(Sample));
    cudaMalloc(&gamma, LAGS * sizeof(float));
    cudaMalloc(&pairs, LAGS * sizeof(unsigned));
    cudaMemcpy(s, h.data(), SAMPLES * sizeof(Sample), cudaMemcpyHostToDevice);
    cudaMemset(gamma, 0, LAGS * sizeof(float));
    cudaMemset(pairs, 0, LAGS * sizeof(unsigned));
    pair_lags<<<SAMPLES / TILE, TILE>>>(s, gamma, pairs, LAGS / 1.5f);
    mean_lags<<<1, 64>>>(gamma, pairs);
    float out[LAGS];
    cudaMemcpy(out, gamma, sizeof out, cudaMemcpyDeviceToHost);
    printf("%f\n", out[20]);
}
