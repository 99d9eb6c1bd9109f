// Finite volumes on an unstructured mesh: flux of each face from its two cells, then the sum over the four faces of each cell.
// The mesh is a torus of quads whose cells are renumbered by a multiplicative permutation.
// Operations by hand: 2 a face; 4 products, 3 sums, 2 products, 1 sum a cell.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int SIDE = 1024;
constexpr int CELLS = SIDE * SIDE;
constexpr int FACES = 2 * CELLS;

#define OK(x)                                                                 \
  do {                                                                        \
    cudaError_t e = (x);                                                      \
    if (e != cudaSuccess) {                                                   \
      std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e));      \
      std::exit(EXIT_FAILURE);                                                \
    }                                                                         \
  } while (0)

__global__ void face_flux(const int2* __restrict__ face_cells, const float* __restrict__ coeff,
                          const float* __restrict__ T, float* __restrict__ flux, int nfaces) {
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= nfaces) return;
  int2 c = face_cells[f];
  flux[f] = coeff[f] * (T[c.x] - T[c.y]);
}

__global__ void update_cells(const int4* __restrict__ cell_faces, const float4* __restrict__ sign,
                             const float* __restrict__ inv_vol, const float* __restrict__ flux,
                             float* __restrict__ T, float dt, int ncells) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= ncells) return;
  int4 f = cell_faces[c];
  float4 s = sign[c];
  float net = s.x * flux[f.x] + s.y * flux[f.y] + s.z * flux[f.z] + s.w * flux[f.w];
  T[c] -= dt * inv_vol[c] * net;
}

static int renumber(int c) { return int((uint64_t(c) * 40503u + 17u) % CELLS); }

int main() {
  std::vector<int2> face_cells(FACES);
  std::vector<int4> cell_faces(CELLS);
  std::vector<float4> sign(CELLS);
  std::vector<float> coeff(FACES, 0.2f), inv_vol(CELLS, 1.0f), T(CELLS);
  for (int y = 0; y < SIDE; ++y)
    for (int x = 0; x < SIDE; ++x) {
      int c = renumber(y * SIDE + x);
      int e = renumber(y * SIDE + (x + 1) % SIDE);
      int n = renumber((y + 1) % SIDE * SIDE + x);
      int w = renumber(y * SIDE + (x + SIDE - 1) % SIDE);
      int s = renumber((y + SIDE - 1) % SIDE * SIDE + x);
      face_cells[2 * c] = make_int2(c, e);
      face_cells[2 * c + 1] = make_int2(c, n);
      cell_faces[c] = make_int4(2 * c, 2 * c + 1, 2 * w, 2 * s + 1);
      sign[c] = make_float4(1.f, 1.f, -1.f, -1.f);
      T[c] = (x > SIDE / 4 && x < SIDE / 2) ? 1.0f : 0.0f;
    }

  int2* d_fc;
  int4* d_cf;
  float4* d_sign;
  float *d_coeff, *d_inv, *d_T, *d_flux;
  OK(cudaMalloc(&d_fc, FACES * sizeof(int2)));
  OK(cudaMalloc(&d_cf, CELLS * sizeof(int4)));
  OK(cudaMalloc(&d_sign, CELLS * sizeof(float4)));
  OK(cudaMalloc(&d_coeff, FACES * sizeof(float)));
  OK(cudaMalloc(&d_inv, CELLS * sizeof(float)));
  OK(cudaMalloc(&d_T, CELLS * sizeof(float)));
  OK(cudaMalloc(&d_flux, FACES * sizeof(float)));
  OK(cudaMemcpy(d_fc, face_cells.data(), FACES * sizeof(int2), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_cf, cell_faces.data(), CELLS * sizeof(int4), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_sign, sign.data(), CELLS * sizeof(float4), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_coeff, coeff.data(), FACES * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_inv, inv_vol.data(), CELLS * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_T, T.data(), CELLS * sizeof(float), cudaMemcpyHostToDevice));

  const int bs = 256;
  for (int it = 0; it < 100; ++it) {
    face_flux<<<(FACES + bs - 1) / bs, bs>>>(d_fc, d_coeff, d_T, d_flux, FACES);
    update_cells<<<(CELLS + bs - 1) / bs, bs>>>(d_cf, d_sign, d_inv, d_flux, d_T, 0.5f, CELLS);
  }
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(T.data(), d_T, CELLS * sizeof(float), cudaMemcpyDeviceToHost));
  double total = 0;
  for (float t : T) total += t;
  std::printf("total heat %.3f\n", total);
  cudaFree(d_fc); cudaFree(d_cf); cudaFree(d_sign); cudaFree(d_coeff);
  cudaFree(d_inv); cudaFree(d_T); cudaFree(d_flux);
  return 0;
}
