#include <vector>
#include <iostream>
#include <cuda_runtime.h>
__global__ void vecAdd(const double* a, const double* b, double* c, size_t n) {
    size_t id = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (id < n) c[id] = a[id] + b[id];
}
int main() {
    const size_t n = 10'000'000;
    std::vector<double> ha(n, 1.0), hb(n, 2.0), hc(n);
    double *da, *db, *dc; const size_t bytes = ha.size() * sizeof(double);
    cudaMalloc(&da, bytes); cudaMalloc(&db, bytes); cudaMalloc(&dc, bytes);
    cudaMemcpy(da, ha.data(), bytes, cudaMemcpyHostToDevice);
    const auto block = 256u; const auto grid = static_cast<unsigned>((n + block - 1) / block);
    vecAdd<<<grid, block>>>(da, db, dc, n);
    cudaMemcpy(hc.data(), dc, bytes, cudaMemcpyDeviceToHost);
    std::cout << hc[0] << std::endl;
    return 0;
}