#include <cuda_runtime.h>
template <typename T, int TILE>
__global__ void gemm(const T* A, const T* B, T* C, int M, int N, int K) {
  extern __shared__ unsigned char raw[];
  T* As = reinterpret_cast<T*>(raw);
  T* Bs = As + TILE * TILE;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  T acc{};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    As[ty * TILE + tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : T(0);
    Bs[ty * TILE + tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : T(0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) acc += As[ty * TILE + k] * Bs[k * TILE + tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}
int main() {
  int M = 1024, N = 2048, K = 512;
  double *A, *B, *C;
  cudaMalloc(&A, M * K * sizeof *A); cudaMalloc(&B, K * N * sizeof *B); cudaMalloc(&C, M * N * sizeof *C);
  dim3 t(16, 16), g((N + 15) / 16, (M + 15) / 16);
  gemm<double, 16><<<g, t, 2 * 16 * 16 * sizeof(double)>>>(A, B, C, M, N, K);
  cudaDeviceSynchronize();
}
