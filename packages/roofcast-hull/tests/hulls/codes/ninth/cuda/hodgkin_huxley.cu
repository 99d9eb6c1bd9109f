// Hodgkin-Huxley point neurons, one a thread: (V, m, h, n) in a float4, SUBSTEPS forward Euler steps in registers.
// Operations counted with self-counting Python numbers (hh.py): 65 a substep.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int kNeurons = 1 << 18;
constexpr int kSubsteps = 20;

__device__ __forceinline__ float vtrap(float x, float y) {
  return x / (__expf(x / y) - 1.0f);
}

struct Rates {
  float am, bm, ah, bh, an, bn;
};

__device__ Rates rates(float V) {
  Rates r;
  r.am = 0.1f * vtrap(-40.0f - V, 10.0f);
  r.bm = 4.0f * __expf((V + 65.0f) * (-1.0f / 18.0f));
  r.ah = 0.07f * __expf((V + 65.0f) * -0.05f);
  r.bh = 1.0f / (1.0f + __expf((V + 35.0f) * -0.1f));
  r.an = 0.01f * vtrap(-55.0f - V, 10.0f);
  r.bn = 0.125f * __expf((V + 65.0f) * -0.0125f);
  return r;
}

__global__ void hh_advance(float4* state, const float* i_ext, float dt, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;

  float4 s = state[id];
  float V = s.x, m = s.y, h = s.z, nn = s.w;
  const float cur = i_ext[id];

  for (int step = 0; step < kSubsteps; ++step) {
    Rates r = rates(V);
    float n2 = nn * nn;
    float ina = 120.0f * m * m * m * h * (V - 50.0f);
    float ik = 36.0f * n2 * n2 * (V + 77.0f);
    float il = 0.3f * (V + 54.387f);
    V += dt * (cur - ina - ik - il);
    m += dt * (r.am * (1.0f - m) - r.bm * m);
    h += dt * (r.ah * (1.0f - h) - r.bh * h);
    nn += dt * (r.an * (1.0f - nn) - r.bn * nn);
  }
  state[id] = make_float4(V, m, h, nn);
}

#define CHECK(e)                                                      \
  {                                                                   \
    cudaError_t c = (e);                                              \
    if (c != cudaSuccess) {                                           \
      fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(c));           \
      return EXIT_FAILURE;                                            \
    }                                                                 \
  }

int main() {
  std::vector<float4> hs(kNeurons, make_float4(-64.9f, 0.053f, 0.596f, 0.318f));
  std::vector<float> hi(kNeurons);
  for (int i = 0; i < kNeurons; ++i) hi[i] = 10.0f * float(i) / kNeurons;

  float4* ds;
  float* di;
  CHECK(cudaMalloc(&ds, kNeurons * sizeof(float4)));
  CHECK(cudaMalloc(&di, kNeurons * sizeof(float)));
  CHECK(cudaMemcpy(ds, hs.data(), kNeurons * sizeof(float4), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(di, hi.data(), kNeurons * sizeof(float), cudaMemcpyHostToDevice));

  for (int block = 0; block < 50; ++block) {
    hh_advance<<<(kNeurons + 127) / 128, 128>>>(ds, di, 0.01f, kNeurons);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(hs.data(), ds, kNeurons * sizeof(float4), cudaMemcpyDeviceToHost));
  printf("V of the last neuron: %.3f mV\n", hs.back().x);
  CHECK(cudaFree(ds));
  CHECK(cudaFree(di));
  return 0;
}
