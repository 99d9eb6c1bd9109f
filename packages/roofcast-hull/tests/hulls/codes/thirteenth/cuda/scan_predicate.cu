// Where-clause over two columns; a warp leaves one word of a bitmap.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr unsigned ROWS = 1u << 24;

__global__ void where_bitmap(const int* day, const float* price, unsigned* bitmap, int from, int until, float above)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int d = day[i];
    bool keep = (d >= from) & (d < until) & (price[i] > above);
    unsigned word = __ballot_sync(0xffffffffu, keep);
    if ((threadIdx.x & 31) == 0) bitmap[i >> 5] = word;
}

int main()
{
    std::vector<int> hd(ROWS);
    std::vector<float> hp(ROWS);
    for (unsigned i = 0; i < ROWS; i++) { hd[i] = i % 2500; hp[i] = (i * 37u % 1000u) * 0.1f; }
    int* d;
    float* p;
    unsigned* m;
    cudaMalloc(&d, ROWS * sizeof(int));
    cudaMalloc(&p, ROWS * sizeof(float));
    cudaMalloc(&m, ROWS / 32 * sizeof(unsigned));
    cudaMemcpy(d, hd.data(), ROWS * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(p, hp.data(), ROWS * sizeof(float), cudaMemcpyHostToDevice);
    where_bitmap<<<ROWS / 512, 512>>>(d, p, m, 700, 1065, 25.0f);
    unsigned w;
    cudaMemcpy(&w, m, 4, cudaMemcpyDeviceToHost);
    printf("%08x\n", w);
}
