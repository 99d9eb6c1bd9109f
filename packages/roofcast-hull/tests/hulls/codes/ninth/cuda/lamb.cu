// LAMB optimiser for one large tensor. Stage 1: Adam direction and the two squared norms.
// Stage 2: step scaled by the trust ratio. Operations by hand: 18 and 2 a parameter.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK_CUDA(expr)                                                                  \
  if (cudaError_t err = (expr); err != cudaSuccess) {                                     \
    printf("CUDA failure %s:%d: '%s'\n", __FILE__, __LINE__, cudaGetErrorString(err));    \
    exit(EXIT_FAILURE);                                                                   \
  }

struct LambParams {
  float beta1, one_minus_beta1;
  float beta2, one_minus_beta2;
  float inv_corr1, inv_corr2;
  float eps, decay, lr;
};

constexpr int kThreads = 256;

__global__ void lamb_stage1(const float* __restrict__ grad, const float* __restrict__ w,
                            float* __restrict__ m, float* __restrict__ v,
                            float* __restrict__ update, float* __restrict__ norms,
                            LambParams p, int n) {
  __shared__ float s_w[kThreads], s_u[kThreads];
  float w2 = 0.f, u2 = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float g = grad[i];
    float wi = w[i];
    float mi = p.beta1 * m[i] + p.one_minus_beta1 * g;
    float vi = p.beta2 * v[i] + p.one_minus_beta2 * g * g;
    m[i] = mi;
    v[i] = vi;
    float u = (mi * p.inv_corr1) / (sqrtf(vi * p.inv_corr2) + p.eps) + p.decay * wi;
    update[i] = u;
    w2 += wi * wi;
    u2 += u * u;
  }
  s_w[threadIdx.x] = w2;
  s_u[threadIdx.x] = u2;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) {
      s_w[threadIdx.x] += s_w[threadIdx.x + s];
      s_u[threadIdx.x] += s_u[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    atomicAdd(&norms[0], s_w[0]);
    atomicAdd(&norms[1], s_u[0]);
  }
}

__global__ void lamb_stage2(float* __restrict__ w, const float* __restrict__ update,
                            const float* __restrict__ norms, float lr, int n) {
  __shared__ float step;
  if (threadIdx.x == 0) {
    float wn = sqrtf(norms[0]);
    float un = sqrtf(norms[1]);
    float ratio = (wn > 0.f && un > 0.f) ? wn / un : 1.f;
    step = lr * ratio;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    w[i] -= step * update[i];
  }
}

int main() {
  const int n = 30522 * 768;  // BERT word embeddings
  std::vector<float> h(n);
  float *w, *g, *m, *v, *u, *norms;
  size_t bytes = size_t(n) * sizeof(float);
  CHECK_CUDA(cudaMalloc(&w, bytes));
  CHECK_CUDA(cudaMalloc(&g, bytes));
  CHECK_CUDA(cudaMalloc(&m, bytes));
  CHECK_CUDA(cudaMalloc(&v, bytes));
  CHECK_CUDA(cudaMalloc(&u, bytes));
  CHECK_CUDA(cudaMalloc(&norms, 2 * sizeof(float)));
  for (int i = 0; i < n; ++i) h[i] = 0.02f * float(i % 199 - 99) / 99.f;
  CHECK_CUDA(cudaMemcpy(w, h.data(), bytes, cudaMemcpyHostToDevice));
  for (int i = 0; i < n; ++i) h[i] = 1e-3f * float(i % 83 - 41);
  CHECK_CUDA(cudaMemcpy(g, h.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemset(m, 0, bytes));
  CHECK_CUDA(cudaMemset(v, 0, bytes));

  float c1 = 1.f, c2 = 1.f;
  for (int step = 1; step <= 5; ++step) {
    c1 *= 0.9f;
    c2 *= 0.999f;
    LambParams p{0.9f, 0.1f, 0.999f, 0.001f, 1.f / (1.f - c1), 1.f / (1.f - c2), 1e-6f, 0.01f, 1e-3f};
    CHECK_CUDA(cudaMemset(norms, 0, 2 * sizeof(float)));
    lamb_stage1<<<1024, kThreads>>>(g, w, m, v, u, norms, p, n);
    lamb_stage2<<<1024, kThreads>>>(w, u, norms, p.lr, n);
    CHECK_CUDA(cudaGetLastError());
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(h.data(), w, bytes, cudaMemcpyDeviceToHost));
  printf("w[0] = %.8f\n", h[0]);
  cudaFree(w); cudaFree(g); cudaFree(m); cudaFree(v); cudaFree(u); cudaFree(norms);
  return 0;
}
