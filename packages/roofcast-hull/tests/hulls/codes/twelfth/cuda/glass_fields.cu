// Edwards-Anderson spin glass on a periodic cubic lattice: local fields and the overlap of two replicas.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static constexpr int L = 128;
#define SITE(z, y, x) (((z) * L + (y)) * L + (x))

__global__ void local_fields(const int8_t *s, const int8_t *jx, const int8_t *jy, const int8_t *jz, int *h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    int xm = (x + L - 1) % L, xp = (x + 1) % L;
    int ym = (y + L - 1) % L, yp = (y + 1) % L;
    int zm = (z + L - 1) % L, zp = (z + 1) % L;
    int sum = jx[SITE(z, y, x)] * s[SITE(z, y, xp)] + jx[SITE(z, y, xm)] * s[SITE(z, y, xm)];
    sum += jy[SITE(z, y, x)] * s[SITE(z, yp, x)] + jy[SITE(z, ym, x)] * s[SITE(z, ym, x)];
    sum += jz[SITE(z, y, x)] * s[SITE(zp, y, x)] + jz[SITE(zm, y, x)] * s[SITE(zm, y, x)];
    h[SITE(z, y, x)] = sum;
}

__global__ void replica_overlap(const int8_t *a, const int8_t *b, int *q, int n) {
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) mine += a[i] * b[i];
    for (int o = 16; o > 0; o /= 2) mine += __shfl_down_sync(0xffffffffu, mine, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(q, mine);
}

int main() {
    const int n = L * L * L;
    std::vector<int8_t> host(n);
    int8_t *dev[5];
    for (int k = 0; k < 5; ++k) {
        for (auto &v : host) v = rand() & 1 ? 1 : -1;
        cudaMalloc(&dev[k], n);
        cudaMemcpy(dev[k], host.data(), n, cudaMemcpyHostToDevice);
    }
    int *h, *q, overlap;
    cudaMalloc(&h, n * sizeof(int));
    cudaMalloc(&q, sizeof(int));
    cudaMemset(q, 0, sizeof(int));
    local_fields<<<dim3(L / 32, L / 4, L), dim3(32, 4)>>>(dev[0], dev[1], dev[2], dev[3], h);
    replica_overlap<<<512, 256>>>(dev[0], dev[4], q, n);
    cudaMemcpy(&overlap, q, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", overlap);
}
