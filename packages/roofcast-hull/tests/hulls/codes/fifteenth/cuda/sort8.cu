// Each thread puts eight keys in order with a network of 19 exchanges.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define GROUPS 262144
#define CX(a, b) { unsigned lo_ = min(k[a], k[b]); k[b] = max(k[a], k[b]); k[a] = lo_; }

__global__ void sort_eights(unsigned *keys)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= GROUPS) return;
    unsigned *p = keys + g * 8;
    unsigned k[8];
    for (int i = 0; i < 8; i++) k[i] = p[i];
    CX(0, 1) CX(2, 3) CX(4, 5) CX(6, 7)
    CX(0, 2) CX(1, 3) CX(4, 6) CX(5, 7)
    CX(1, 2) CX(5, 6)
    CX(0, 4) CX(1, 5) CX(2, 6) CX(3, 7)
    CX(2, 4) CX(3, 5)
    CX(1, 2) CX(3, 4) CX(5, 6)
    for (int i = 0; i < 8; i++) p[i] = k[i];
}

int main()
{
    std::vector<unsigned> h(GROUPS * 8);
    for (auto &v : h) v = rand();
    unsigned *d;
    cudaMalloc(&d, h.size() * sizeof(unsigned));
    cudaMemcpy(d, h.data(), h.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    sort_eights<<<GROUPS / 256, 256>>>(d);
    cudaMemcpy(h.data(), d, h.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (size_t i = 1; i < h.size(); ++i) bad += i % 8 && h[i] < h[i - 1];
    printf("%d out of order\n", bad);
    return bad;
}
