// Pieces of a "stable fluids" pressure projection on an (N+2)x(N+2) grid with one ring of ghost cells.
// Operations by hand: divergence 4, gradient subtraction 6 a cell.
#include <cuda_runtime.h>
#include <cstdlib>
#include <iostream>
#include <vector>

const int N = 2048;
const int LD = N + 2;

#define IX(i, j) ((i) + LD * (j))

void throw_on_cuda_error(cudaError_t code, int line) {
  if (code != cudaSuccess) {
    std::cerr << "line " << line << ": " << cudaGetErrorString(code) << "\n";
    std::exit(1);
  }
}
#define TRY(x) throw_on_cuda_error((x), __LINE__)

// div = -h/2 * (du/dx + dv/dy)
__global__ void divergence(const float* u, const float* v, float* div, float minus_half_h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i > N || j > N) return;
  div[IX(i, j)] = minus_half_h * (u[IX(i + 1, j)] - u[IX(i - 1, j)] + v[IX(i, j + 1)] - v[IX(i, j - 1)]);
}

__global__ void subtract_gradient(float* u, float* v, const float* p, float half_inv_h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i > N || j > N) return;
  u[IX(i, j)] -= half_inv_h * (p[IX(i + 1, j)] - p[IX(i - 1, j)]);
  v[IX(i, j)] -= half_inv_h * (p[IX(i, j + 1)] - p[IX(i, j - 1)]);
}

int main() {
  const size_t cells = size_t(LD) * LD;
  std::vector<float> hu(cells), hv(cells), hp(cells, 0.0f);
  for (int j = 0; j < LD; ++j)
    for (int i = 0; i < LD; ++i) {
      hu[IX(i, j)] = float(j - N / 2) / N;
      hv[IX(i, j)] = float(N / 2 - i) / N;
      hp[IX(i, j)] = 1e-4f * float((i * j) % 7);
    }

  float *u, *v, *p, *div;
  TRY(cudaMalloc(&u, cells * sizeof(float)));
  TRY(cudaMalloc(&v, cells * sizeof(float)));
  TRY(cudaMalloc(&p, cells * sizeof(float)));
  TRY(cudaMalloc(&div, cells * sizeof(float)));
  TRY(cudaMemcpy(u, hu.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(v, hv.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(p, hp.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
  TRY(cudaMemset(div, 0, cells * sizeof(float)));

  const float h = 1.0f / N;
  dim3 block(32, 8);
  dim3 grid((N + block.x - 1) / block.x, (N + block.y - 1) / block.y);
  divergence<<<grid, block>>>(u, v, div, -0.5f * h);
  TRY(cudaGetLastError());
  // (the pressure solve of the full code goes here)
  subtract_gradient<<<grid, block>>>(u, v, p, 0.5f / h);
  TRY(cudaGetLastError());
  TRY(cudaDeviceSynchronize());

  TRY(cudaMemcpy(hu.data(), u, cells * sizeof(float), cudaMemcpyDeviceToHost));
  std::cout << "u at the middle: " << hu[IX(N / 2, N / 2)] << std::endl;
  cudaFree(u); cudaFree(v); cudaFree(p); cudaFree(div);
  return 0;
}
