// Hydrodynamics mini-app cells: gamma-law equation of state, and the time step limit of the mesh.
// Arrays carry two layers of halo. Operations by hand: 5 (EOS) and 8 (time step) a cell.
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define HALO 2
#define CHECK(call)                                                               \
  {                                                                               \
    const cudaError_t error = call;                                               \
    if (error != cudaSuccess) {                                                   \
      printf("Error: %s:%d, code:%d, reason: %s\n", __FILE__, __LINE__, error,    \
             cudaGetErrorString(error));                                          \
      exit(1);                                                                    \
    }                                                                             \
  }

__global__ void ideal_gas(int nx, int ny, double gamma, double gamma_minus_one,
                          const double* density, const double* energy,
                          double* pressure, double* soundspeed) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= nx || row >= ny) return;
  const int id = (row + HALO) * (nx + 2 * HALO) + col + HALO;
  const double p = gamma_minus_one * density[id] * energy[id];
  pressure[id] = p;
  soundspeed[id] = sqrt(gamma * p / density[id]);
}

__global__ void calc_dt(int nx, int ny, double dx, double dy,
                        const double* soundspeed, const double* xvel, const double* yvel,
                        unsigned long long* dt_bits) {
  __shared__ double dt_local[256];
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  double dt = DBL_MAX;
  if (col < nx && row < ny) {
    const int id = (row + HALO) * (nx + 2 * HALO) + col + HALO;
    const double cs = soundspeed[id];
    const double dtx = dx / (cs + fabs(xvel[id]));
    const double dty = dy / (cs + fabs(yvel[id]));
    dt = fmin(dtx, dty);
  }
  dt_local[tid] = dt;
  __syncthreads();
  for (int offset = 128; offset > 0; offset >>= 1) {
    if (tid < offset) dt_local[tid] = fmin(dt_local[tid], dt_local[tid + offset]);
    __syncthreads();
  }
  // positive doubles order as their bit patterns
  if (tid == 0) atomicMin(dt_bits, (unsigned long long)__double_as_longlong(dt_local[0]));
}

int main() {
  const int nx = 3840, ny = 1920;
  const size_t cells = size_t(nx + 2 * HALO) * (ny + 2 * HALO);
  std::vector<double> h(cells);

  double *density, *energy, *pressure, *cs, *u, *v;
  unsigned long long* dt_bits;
  CHECK(cudaMalloc(&density, cells * sizeof(double)));
  CHECK(cudaMalloc(&energy, cells * sizeof(double)));
  CHECK(cudaMalloc(&pressure, cells * sizeof(double)));
  CHECK(cudaMalloc(&cs, cells * sizeof(double)));
  CHECK(cudaMalloc(&u, cells * sizeof(double)));
  CHECK(cudaMalloc(&v, cells * sizeof(double)));
  CHECK(cudaMalloc(&dt_bits, sizeof(unsigned long long)));

  for (size_t i = 0; i < cells; ++i) h[i] = i % 2 ? 1.0 : 0.2;
  CHECK(cudaMemcpy(density, h.data(), cells * sizeof(double), cudaMemcpyHostToDevice));
  for (size_t i = 0; i < cells; ++i) h[i] = i % 3 ? 2.5 : 1.0;
  CHECK(cudaMemcpy(energy, h.data(), cells * sizeof(double), cudaMemcpyHostToDevice));
  for (size_t i = 0; i < cells; ++i) h[i] = 0.01 * double(i % 21) - 0.1;
  CHECK(cudaMemcpy(u, h.data(), cells * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(v, h.data(), cells * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dt_bits, 0x7f, sizeof(unsigned long long)));

  dim3 block(64, 4);
  dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  ideal_gas<<<grid, block>>>(nx, ny, 1.4, 0.4, density, energy, pressure, cs);
  CHECK(cudaGetLastError());
  calc_dt<<<grid, block>>>(nx, ny, 10.0 / nx, 10.0 / ny, cs, u, v, dt_bits);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  double dt;
  CHECK(cudaMemcpy(&dt, dt_bits, sizeof(double), cudaMemcpyDeviceToHost));
  printf("dt = %.6e\n", 0.7 * dt);
  cudaFree(density); cudaFree(energy); cudaFree(pressure); cudaFree(cs);
  cudaFree(u); cudaFree(v); cudaFree(dt_bits);
  return 0;
}
