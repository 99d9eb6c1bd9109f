// Operations of one unit of work verified with self-counting numbers in Python; sizes and bytes by arithmetic.
// Magnetic flux density of a cloud of point dipoles, sampled at a set of probe positions.
//   B(r) = mu0/4pi * sum_j [ 3 (m_j . d) d / |d|^5 - m_j / |d|^3 ]
// Hand count per pair: 3 + 6 + 3 + 5 + 2 + 12 = 31; 3 at the end of each probe.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x)                                                              \
  do {                                                                        \
    cudaError_t e_ = (x);                                                     \
    if (e_ != cudaSuccess) {                                                  \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

constexpr float SOFT = 1e-6f;

__global__ void dipoleField(const float3 *__restrict__ probe, const float3 *__restrict__ pos,
                            const float3 *__restrict__ mom, float3 *__restrict__ B,
                            int nProbe, int nDipole)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nProbe) return;
  const float3 r = probe[i];
  float bx = 0.f, by = 0.f, bz = 0.f;
  for (int j = 0; j < nDipole; ++j) {
    const float3 p = pos[j];
    const float3 m = mom[j];
    const float dx = r.x - p.x, dy = r.y - p.y, dz = r.z - p.z;
    const float inv  = rsqrtf(dx * dx + dy * dy + dz * dz + SOFT);
    const float inv2 = inv * inv;
    const float inv3 = inv * inv2;
    const float md = m.x * dx + m.y * dy + m.z * dz;
    const float s  = 3.0f * md * inv2;
    bx += inv3 * (s * dx - m.x);
    by += inv3 * (s * dy - m.y);
    bz += inv3 * (s * dz - m.z);
  }
  B[i] = make_float3(1e-7f * bx, 1e-7f * by, 1e-7f * bz);
}

static float rnd() { return rand() / (float)RAND_MAX - 0.5f; }

int main()
{
  const int nProbe = 16384, nDipole = 1024;
  std::vector<float3> hp(nProbe), hd(nDipole), hm(nDipole);
  for (auto &v : hp) v = make_float3(4 * rnd(), 4 * rnd(), 4 * rnd());
  for (auto &v : hd) v = make_float3(rnd(), rnd(), rnd());
  for (auto &v : hm) v = make_float3(rnd(), rnd(), 1.f + rnd());

  float3 *probe, *pos, *mom, *B;
  CHECK(cudaMalloc(&probe, nProbe * sizeof(float3)));
  CHECK(cudaMalloc(&B, nProbe * sizeof(float3)));
  CHECK(cudaMalloc(&pos, nDipole * sizeof(float3)));
  CHECK(cudaMalloc(&mom, nDipole * sizeof(float3)));
  CHECK(cudaMemcpy(probe, hp.data(), nProbe * sizeof(float3), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(pos, hd.data(), nDipole * sizeof(float3), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(mom, hm.data(), nDipole * sizeof(float3), cudaMemcpyHostToDevice));

  const int threads = 128;
  dipoleField<<<(nProbe + threads - 1) / threads, threads>>>(probe, pos, mom, B, nProbe, nDipole);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(hp.data(), B, nProbe * sizeof(float3), cudaMemcpyDeviceToHost));
  printf("B[0] = (%g, %g, %g) T\n", hp[0].x, hp[0].y, hp[0].z);
  cudaFree(probe); cudaFree(pos); cudaFree(mom); cudaFree(B);
  return 0;
}
