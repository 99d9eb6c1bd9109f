#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <cstdio>
#include <vector>

using namespace nvcuda;

// D = A B on matrix units, a warp a tile of 16 x 16
__global__ void wmma_tiles(const half* a, const half* b, float* d, int m, int n, int k)
{
    const int warp_row = blockIdx.y * blockDim.y + threadIdx.y;
    const int warp_col = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int kk = 0; kk < k; kk += 16) {
        wmma::load_matrix_sync(fa, a + warp_row * 16 * k + kk, k);
        wmma::load_matrix_sync(fb, b + kk * n + warp_col * 16, n);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(d + warp_row * 16 * n + warp_col * 16, acc, n, wmma::mem_row_major);
}

int main()
{
    const int m = 512, n = 640, k = 384;
    std::vector<half> ha(m * k, __float2half(0.5f)), hb(k * n, __float2half(0.25f));
    half *a, *b;
    float* d;
    cudaMalloc(&a, ha.size() * sizeof(half));
    cudaMalloc(&b, hb.size() * sizeof(half));
    cudaMalloc(&d, m * n * sizeof(float));
    cudaMemcpy(a, ha.data(), ha.size() * sizeof(half), cudaMemcpyHostToDevice);
    cudaMemcpy(b, hb.data(), hb.size() * sizeof(half), cudaMemcpyHostToDevice);
    dim3 block(128, 4);  // 4 x 4 warps
    dim3 grid(n / 64, m / 64);
    wmma_tiles<<<grid, block>>>(a, b, d, m, n, k);
    float first;
    cudaMemcpy(&first, d, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", first);
    cudaFree(a);
    cudaFree(b);
    cudaFree(d);
    return 0;
}
