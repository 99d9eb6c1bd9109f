#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
const int M = 4096, N = 4096, K = 4096;
__global__ void wmma_gemm(const half* a, const half* b, float* c) {
  int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int warpN = blockIdx.y * blockDim.y + threadIdx.y;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(fa, a + warpM * 16 * K + k, K);
    wmma::load_matrix_sync(fb, b + warpN * 16 * K + k, K);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + warpM * 16 * N + warpN * 16, fc, N, wmma::mem_row_major);
}
int main() {
  half *a, *b; float* c;
  cudaMalloc(&a, M * K * sizeof(half)); cudaMalloc(&b, K * N * sizeof(half)); cudaMalloc(&c, M * N * sizeof(float));
  dim3 block(128, 4), grid(M / (16 * 4), N / (16 * 4));
  wmma_gemm<<<grid, block>>>(a, b, c);
  cudaDeviceSynchronize();
}
