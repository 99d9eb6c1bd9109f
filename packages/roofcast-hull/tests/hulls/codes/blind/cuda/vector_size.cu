#include <cuda_runtime.h>
#include <vector>

__global__ void mix_keys(unsigned *a, const unsigned *b, size_t n)
{
    auto i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) a[i] = (a[i] ^ b[i]) & 0x7fffffffu;
}

int main()
{
    std::vector<unsigned> h(1 << 18, 7u);
    const auto bytes = h.size() * sizeof(unsigned);
    unsigned *a = nullptr, *b = nullptr;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, h.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), bytes, cudaMemcpyHostToDevice);
    const unsigned threads = 128, blocks = (unsigned)((h.size() + threads - 1) / threads);
    mix_keys<<<blocks, threads>>>(a, b, h.size());
    cudaMemcpy(h.data(), a, bytes, cudaMemcpyDeviceToHost);
}
