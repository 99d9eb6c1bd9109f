// log_softmax + negative log likelihood, one block a row, no probabilities stored.
// Operations by hand: max V, subtract+exp 2V, sum V, then log, + and - : 4V+3 a row.
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define ROWS 8192
#define VOCAB 1000
#define TPB 256

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    exit(code);
  }
}

__device__ float blockMax(float v, float *sm) {
  sm[threadIdx.x] = v;
  __syncthreads();
  for (int s = TPB / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) sm[threadIdx.x] = fmaxf(sm[threadIdx.x], sm[threadIdx.x + s]);
    __syncthreads();
  }
  float r = sm[0];
  __syncthreads();
  return r;
}

__device__ float blockSum(float v, float *sm) {
  sm[threadIdx.x] = v;
  __syncthreads();
  for (int s = TPB / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) sm[threadIdx.x] += sm[threadIdx.x + s];
    __syncthreads();
  }
  float r = sm[0];
  __syncthreads();
  return r;
}

__global__ void log_softmax_nll(const float *logits, const int *target, float *loss) {
  __shared__ float sm[TPB];
  const float *row = logits + (size_t)blockIdx.x * VOCAB;

  float m = -FLT_MAX;
  for (int c = threadIdx.x; c < VOCAB; c += TPB) m = fmaxf(m, row[c]);
  m = blockMax(m, sm);

  float s = 0.f;
  for (int c = threadIdx.x; c < VOCAB; c += TPB) s += expf(row[c] - m);
  s = blockSum(s, sm);

  if (threadIdx.x == 0) loss[blockIdx.x] = logf(s) + m - row[target[blockIdx.x]];
}

int main() {
  size_t n = (size_t)ROWS * VOCAB;
  float *h_logits = (float *)malloc(n * sizeof(float));
  int *h_target = (int *)malloc(ROWS * sizeof(int));
  srand(7);
  for (size_t i = 0; i < n; i++) h_logits[i] = 4.f * rand() / RAND_MAX - 2.f;
  for (int r = 0; r < ROWS; r++) h_target[r] = rand() % VOCAB;

  float *d_logits, *d_loss;
  int *d_target;
  gpuErrchk(cudaMalloc(&d_logits, n * sizeof(float)));
  gpuErrchk(cudaMalloc(&d_target, ROWS * sizeof(int)));
  gpuErrchk(cudaMalloc(&d_loss, ROWS * sizeof(float)));
  gpuErrchk(cudaMemcpy(d_logits, h_logits, n * sizeof(float), cudaMemcpyHostToDevice));
  gpuErrchk(cudaMemcpy(d_target, h_target, ROWS * sizeof(int), cudaMemcpyHostToDevice));

  log_softmax_nll<<<ROWS, TPB>>>(d_logits, d_target, d_loss);
  gpuErrchk(cudaPeekAtLastError());
  gpuErrchk(cudaDeviceSynchronize());

  float *h_loss = (float *)malloc(ROWS * sizeof(float));
  gpuErrchk(cudaMemcpy(h_loss, d_loss, ROWS * sizeof(float), cudaMemcpyDeviceToHost));
  double mean = 0;
  for (int r = 0; r < ROWS; r++) mean += h_loss[r];
  printf("mean loss %f\n", mean / ROWS);
  return 0;
}
