// Parallel collision search for discrete logarithms modulo a small prime: each thread walks until a distinguished point.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

#define WALKS 6144
#define DISTINGUISHED_MASK 0xffffu

struct Point {
    uint64_t value;
    uint64_t a, b;
};

__device__ uint64_t mulmod(uint64_t x, uint64_t y, uint64_t p)
{
    return (uint64_t)((x * y) % p); // p < 2^31
}

__global__ void rho_walk(const Point *starts, Point *ends, unsigned *lengths, uint64_t g, uint64_t h, uint64_t p, int walks)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= walks)
        return;
    Point w = starts[id];
    const uint64_t order = p - 1;
    unsigned steps = 0;
    while ((w.value & DISTINGUISHED_MASK) != 0 || steps == 0) {
        switch (w.value % 3) {
        case 0:
            w.value = mulmod(w.value, w.value, p);
            w.a = (2 * w.a) % order;
            w.b = (2 * w.b) % order;
            break;
        case 1:
            w.value = mulmod(w.value, g, p);
            w.a = (w.a + 1) % order;
            break;
        default:
            w.value = mulmod(w.value, h, p);
            w.b = (w.b + 1) % order;
        }
        if (++steps == 0xffffffu) // caught in a cycle without distinguished points
            break;
    }
    ends[id] = w;
    lengths[id] = steps;
}

int main()
{
    const uint64_t p = 2147483647ull, g = 7, h = 1234567891ull;
    Point *starts, *ends;
    unsigned *lengths;
    cudaMallocManaged(&starts, WALKS * sizeof(Point));
    cudaMallocManaged(&ends, WALKS * sizeof(Point));
    cudaMallocManaged(&lengths, WALKS * sizeof(unsigned));
    uint64_t v = 1;
    for (int i = 0; i < WALKS; i++) {
        v = v * g % p;
        starts[i].value = v;
        starts[i].a = i + 1;
        starts[i].b = 0;
    }
    rho_walk<<<WALKS / 128, 128>>>(starts, ends, lengths, g, h, p, WALKS);
    cudaDeviceSynchronize();
    unsigned long long total = 0;
    for (int i = 0; i < WALKS; i++) total += lengths[i];
    printf("mean walk %.1f\n", (double)total / WALKS);
    cudaFree(starts);
    cudaFree(ends);
    cudaFree(lengths);
    return 0;
}
