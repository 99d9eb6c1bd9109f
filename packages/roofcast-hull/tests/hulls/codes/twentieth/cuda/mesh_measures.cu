#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>

constexpr int GRID_N = 700;
constexpr int NV = GRID_N * GRID_N;
constexpr int NT = 2 * (GRID_N - 1) * (GRID_N - 1);

__host__ __device__ inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ inline float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
__device__ inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__global__ void tri_area(const int3 *tri, const float3 *pos, float *area, int nt)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= nt) return;
    int3 f = tri[t];
    float3 a = pos[f.x];
    float3 n = cross(pos[f.y] - a, pos[f.z] - a);
    area[t] = 0.5f * sqrtf(dot(n, n));
}

// a third of each triangle goes to its corners
__global__ void vertex_area(const int3 *tri, const float *area, float *va, int nt)
{
    for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < nt; t += gridDim.x * blockDim.x) {
        float third = area[t] / 3.f;
        atomicAdd(va + tri[t].x, third);
        atomicAdd(va + tri[t].y, third);
        atomicAdd(va + tri[t].z, third);
    }
}

// walk the surface downhill from a vertex until nothing is lower
__global__ void descend(const float3 *pos, const int *ring, int *sink, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int at = v;
    for (;;) {
        int best = at;
        for (int k = 0; k < 4; ++k) {
            int o = ring[at * 4 + k];
            if (pos[o].z < pos[best].z) best = o;
        }
        if (best == at) break;
        at = best;
    }
    sink[v] = at;
}

int main()
{
    int3 *tri; float3 *pos; float *area, *va; int *ring, *sink;
    cudaMallocManaged(&tri, NT * sizeof(int3));
    cudaMallocManaged(&pos, NV * sizeof(float3));
    cudaMallocManaged(&area, NT * sizeof(float));
    cudaMallocManaged(&va, NV * sizeof(float));
    cudaMallocManaged(&ring, NV * 4 * sizeof(int));
    cudaMallocManaged(&sink, NV * sizeof(int));
    int t = 0;
    for (int y = 0; y < GRID_N; ++y)
        for (int x = 0; x < GRID_N; ++x) {
            int v = y * GRID_N + x;
            pos[v] = make_float3(x, y, 9.f * sinf(x * 0.03f) * cosf(y * 0.02f));
            va[v] = 0.f;
            ring[v * 4] = x ? v - 1 : v; ring[v * 4 + 1] = x < GRID_N - 1 ? v + 1 : v;
            ring[v * 4 + 2] = y ? v - GRID_N : v; ring[v * 4 + 3] = y < GRID_N - 1 ? v + GRID_N : v;
            if (x < GRID_N - 1 && y < GRID_N - 1) {
                tri[t++] = make_int3(v, v + 1, v + GRID_N);
                tri[t++] = make_int3(v + 1, v + GRID_N + 1, v + GRID_N);
            }
        }
    tri_area<<<(NT + 255) / 256, 256>>>(tri, pos, area, NT);
    vertex_area<<<512, 256>>>(tri, area, va, NT);
    descend<<<(NV + 127) / 128, 128>>>(pos, ring, sink, NV);
    cudaDeviceSynchronize();
    printf("%f %d\n", va[NV / 2], sink[NV / 2]);
}
