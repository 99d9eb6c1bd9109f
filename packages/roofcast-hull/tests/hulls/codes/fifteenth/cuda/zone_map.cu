// Zone maps of an integer column: smallest and largest key of every 1024 rows; which zones a range can touch.
#include <climits>
#include <cstdio>
#include <vector>
#include <random>
#include <cuda_runtime.h>

constexpr int ROWS = 1 << 22;
constexpr int ZONE = 1024;
constexpr int ZONES = ROWS / ZONE;

template <int THREADS>
__global__ void build_zones(const int *__restrict__ key, int *__restrict__ zmin, int *__restrict__ zmax)
{
    __shared__ int smin[THREADS];
    __shared__ int smax[THREADS];
    const int t = threadIdx.x;
    int lo = INT_MAX, hi = INT_MIN;
    for (int r = t; r < ZONE; r += THREADS) {
        int k = key[blockIdx.x * ZONE + r];
        lo = min(lo, k);
        hi = max(hi, k);
    }
    smin[t] = lo;
    smax[t] = hi;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (t < s) {
            smin[t] = min(smin[t], smin[t + s]);
            smax[t] = max(smax[t], smax[t + s]);
        }
        __syncthreads();
    }
    if (t == 0) {
        zmin[blockIdx.x] = smin[0];
        zmax[blockIdx.x] = smax[0];
    }
}

__global__ void prune_zones(const int *zmin, const int *zmax, unsigned char *hit, int lo, int hi)
{
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    if (z < ZONES)
        hit[z] = (zmax[z] >= lo) & (zmin[z] <= hi);
}

int main()
{
    std::vector<int> h(ROWS);
    std::mt19937 rng(7);
    for (int i = 0; i < ROWS; ++i) h[i] = i / 3 + (int)(rng() % 5000);
    int *key, *zmin, *zmax;
    unsigned char *hit;
    cudaMalloc(&key, ROWS * sizeof(int));
    cudaMalloc(&zmin, ZONES * sizeof(int));
    cudaMalloc(&zmax, ZONES * sizeof(int));
    cudaMalloc(&hit, ZONES);
    cudaMemcpy(key, h.data(), ROWS * sizeof(int), cudaMemcpyHostToDevice);
    build_zones<256><<<ZONES, 256>>>(key, zmin, zmax);
    prune_zones<<<(ZONES + 127) / 128, 128>>>(zmin, zmax, hit, 100000, 120000);
    std::vector<unsigned char> hh(ZONES);
    cudaMemcpy(hh.data(), hit, ZONES, cudaMemcpyDeviceToHost);
    int c = 0;
    for (auto b : hh) c += b;
    printf("%d of %d zones\n", c, ZONES);
}
