// Eigenvalues of many symmetric 3x3 matrices (diffusion tensors) by the trigonometric formula, planes of components,
// and the fractional anisotropy. Operations counted with self-counting Python numbers: 63 a voxel.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int NX = 128, NY = 128, NZ = 96;
constexpr int VOXELS = NX * NY * NZ;

#define CHECK_ERR(x)                                                     \
  {                                                                      \
    cudaError_t e = (x);                                                 \
    if (e != cudaSuccess) {                                              \
      printf("cuda: %s at %d\n", cudaGetErrorString(e), __LINE__);       \
      exit(1);                                                           \
    }                                                                    \
  }

struct TensorPlanes {
  const float *xx, *xy, *xz, *yy, *yz, *zz;
};

__global__ void tensor_eigenvalues(TensorPlanes t, float* l1, float* l2, float* l3, float* fa) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= VOXELS) return;
  float a = t.xx[i], b = t.yy[i], c = t.zz[i];
  float d = t.xy[i], e = t.yz[i], f = t.xz[i];

  float q = (a + b + c) * (1.0f / 3.0f);
  float da = a - q, db = b - q, dc = c - q;
  float p1 = d * d + e * e + f * f;
  float p2 = da * da + db * db + dc * dc + 2.0f * p1;
  float p = sqrtf(p2 * (1.0f / 6.0f) + 1e-20f);
  float det = da * (db * dc - e * e) - d * (d * dc - e * f) + f * (d * e - db * f);
  float r = 0.5f * det / (p * p * p);
  r = fminf(fmaxf(r, -1.0f), 1.0f);
  float phi = acosf(r) * (1.0f / 3.0f);

  float e1 = q + 2.0f * p * cosf(phi);
  float e3 = q + 2.0f * p * cosf(phi + 2.0943951f);
  float e2 = 3.0f * q - e1 - e3;
  l1[i] = e1;
  l2[i] = e2;
  l3[i] = e3;
  fa[i] = sqrtf(1.5f * p2 / (e1 * e1 + e2 * e2 + e3 * e3));
}

int main() {
  const size_t bytes = VOXELS * sizeof(float);
  float* in[6];
  float* out[4];
  std::vector<float> h(VOXELS);
  for (int k = 0; k < 6; ++k) {
    const bool diagonal = k == 0 || k == 3 || k == 5;
    for (int i = 0; i < VOXELS; ++i)
      h[i] = diagonal ? 1.0f + 0.1f * float((i + k) % 7) : 0.02f * float((i * (k + 1)) % 11 - 5);
    CHECK_ERR(cudaMalloc(&in[k], bytes));
    CHECK_ERR(cudaMemcpy(in[k], h.data(), bytes, cudaMemcpyHostToDevice));
  }
  for (auto& o : out) CHECK_ERR(cudaMalloc(&o, bytes));

  TensorPlanes planes{in[0], in[1], in[2], in[3], in[4], in[5]};
  tensor_eigenvalues<<<(VOXELS + 191) / 192, 192>>>(planes, out[0], out[1], out[2], out[3]);
  CHECK_ERR(cudaGetLastError());
  CHECK_ERR(cudaDeviceSynchronize());
  CHECK_ERR(cudaMemcpy(h.data(), out[3], bytes, cudaMemcpyDeviceToHost));
  printf("FA of voxel 1: %f\n", h[1]);
  for (auto p : in) cudaFree(p);
  for (auto p : out) cudaFree(p);
  return 0;
}
