// residue contacts of a trajectory frame, and the contact order of every residue
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

constexpr int NRES = 3072;
constexpr int TILE = 16;

__global__ void contacts(const float* __restrict__ ca, unsigned char* __restrict__ map, float cut2)
{
    __shared__ float rowp[TILE][3], colp[TILE][3];
    int i = blockIdx.y * TILE + threadIdx.y;
    int j = blockIdx.x * TILE + threadIdx.x;
    if (threadIdx.x < 3) rowp[threadIdx.y][threadIdx.x] = ca[3 * i + threadIdx.x];
    if (threadIdx.y < 3) colp[threadIdx.x][threadIdx.y] = ca[3 * j + threadIdx.y];
    __syncthreads();
    float d2 = 0.f;
    for (int c = 0; c < 3; ++c) {
        float d = rowp[threadIdx.y][c] - colp[threadIdx.x][c];
        d2 += d * d;
    }
    map[i * NRES + j] = d2 < cut2 ? 1 : 0;
}

__global__ void degree(const unsigned char* map, int* deg)
{
    int i = blockIdx.x;
    int n = 0;
    for (int j = threadIdx.x; j < NRES; j += 64) n += map[i * NRES + j];
    __shared__ int s[64];
    s[threadIdx.x] = n;
    __syncthreads();
    for (int h = 32; h > 0; h >>= 1) {
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) deg[i] = s[0] - 1;   // not itself
}

int main()
{
    std::vector<float> ca(3 * NRES);
    for (int r = 0; r < NRES; ++r) {
        ca[3 * r] = 12.f * std::cos(r * 0.3f) + 0.001f * r;
        ca[3 * r + 1] = 12.f * std::sin(r * 0.3f);
        ca[3 * r + 2] = std::fmod(r * 1.5f, 60.f);
    }
    float* dca; unsigned char* dm; int* dd;
    hipMalloc((void**)&dca, ca.size() * sizeof(float));
    hipMalloc((void**)&dm, NRES * NRES);
    hipMalloc((void**)&dd, NRES * sizeof(int));
    hipMemcpy(dca, ca.data(), ca.size() * sizeof(float), hipMemcpyHostToDevice);
    contacts<<<dim3(NRES / TILE, NRES / TILE), dim3(TILE, TILE)>>>(dca, dm, 64.f);
    degree<<<NRES, 64>>>(dm, dd);
    int d;
    hipMemcpy(&d, dd + 100, sizeof d, hipMemcpyDeviceToHost);
    printf("%d\n", d);
    return 0;
}
