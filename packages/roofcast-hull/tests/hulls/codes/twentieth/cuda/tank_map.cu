// strategy game: fog fades, units light the tiles around them, islands are labelled by chasing parents
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>

#define MAPW 1024
#define MAPH 768
#define R 3

__global__ void light_tiles(const uint8_t *unit_power, const uint8_t *fog_in, uint8_t *fog_out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < R || y < R || x >= MAPW - R || y >= MAPH - R) return;
    int best = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++)
            best = max(best, (int)unit_power[(y + dy) * MAPW + x + dx]);
    int faded = fog_in[y * MAPW + x] - 4;
    fog_out[y * MAPW + x] = (uint8_t)max(max(faded, best), 0);
}

__global__ void supply_cost(const float *terrain, const float *cost, float *next)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float c = cost[y * MAPW + x];
    int l = x ? x - 1 : x, r = x < MAPW - 1 ? x + 1 : x;
    int u = y ? y - 1 : y, d = y < MAPH - 1 ? y + 1 : y;
    float n = fminf(fminf(cost[y * MAPW + l], cost[y * MAPW + r]), fminf(cost[u * MAPW + x], cost[d * MAPW + x]));
    next[y * MAPW + x] = fminf(c, n + terrain[y * MAPW + x]);
}

__device__ int root(const int *parent, int v)
{
    while (parent[v] != v) v = parent[v];
    return v;
}

__global__ void join_islands(const float *terrain, int *parent)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v + 1 >= MAPW * MAPH || terrain[v] > 5.f || terrain[v + 1] > 5.f) return;
    int a = root(parent, v), b = root(parent, v + 1);
    while (a != b) {
        if (a < b) { int t = a; a = b; b = t; }
        int old = atomicMin(&parent[a], b);
        if (old == a) break;
        a = root(parent, old);
    }
}

int main()
{
    const int n = MAPW * MAPH;
    uint8_t *p, *f0, *f1; float *ter, *c0, *c1; int *par;
    cudaMallocManaged(&p, n); cudaMallocManaged(&f0, n); cudaMallocManaged(&f1, n);
    cudaMallocManaged(&ter, n * 4); cudaMallocManaged(&c0, n * 4); cudaMallocManaged(&c1, n * 4); cudaMallocManaged(&par, n * 4);
    for (int i = 0; i < n; i++) {
        p[i] = i % 353 == 0 ? 200 : 0; f0[i] = i % 120; f1[i] = 0;
        ter[i] = 1.f + (i * 7 % 23) * 0.25f; c0[i] = i == n / 2 ? 0.f : 1e6f; par[i] = i;
    }
    dim3 b(32, 8), g(MAPW / 32, MAPH / 8);
    light_tiles<<<g, b>>>(p, f0, f1);
    for (int turn = 0; turn < 10; turn++) {
        supply_cost<<<g, b>>>(ter, c0, c1);
        float *t = c0; c0 = c1; c1 = t;
    }
    join_islands<<<(n + 255) / 256, 256>>>(ter, par);
    cudaDeviceSynchronize();
    printf("%d %g\n", f1[5000], c0[n / 2 + 3]);
    return 0;
}
