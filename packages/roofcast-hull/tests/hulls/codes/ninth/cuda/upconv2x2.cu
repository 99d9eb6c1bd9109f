// U-Net style up-convolution: transposed convolution, kernel 2x2, stride 2, NCHW, with bias.
// weight layout [CIN][COUT][2][2] (as PyTorch's ConvTranspose2d). Operations by hand: 2*CIN an output.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int BATCH = 8, CIN = 64, COUT = 32, H = 64, W = 64;

#define CUDA_CHECK(stmt)                                                        \
  do {                                                                          \
    cudaError_t e = stmt;                                                       \
    if (e != cudaSuccess) {                                                     \
      std::fprintf(stderr, "%s -> %s\n", #stmt, cudaGetErrorString(e));         \
      std::exit(1);                                                             \
    }                                                                           \
  } while (0)

__global__ void upconv2x2(const float* __restrict__ in, const float* __restrict__ weight,
                          const float* __restrict__ bias, float* __restrict__ out) {
  const int ox = blockIdx.x * blockDim.x + threadIdx.x;
  const int oy = blockIdx.y * blockDim.y + threadIdx.y;
  const int n = blockIdx.z / COUT;
  const int co = blockIdx.z % COUT;
  if (ox >= 2 * W || oy >= 2 * H) return;

  const int ix = ox >> 1, iy = oy >> 1;
  const int kx = ox & 1, ky = oy & 1;

  float acc = bias[co];
  for (int ci = 0; ci < CIN; ++ci) {
    float v = in[((n * CIN + ci) * H + iy) * W + ix];
    float k = weight[((ci * COUT + co) * 2 + ky) * 2 + kx];
    acc += v * k;
  }
  out[((n * COUT + co) * 2 * H + oy) * 2 * W + ox] = acc;
}

int main() {
  const size_t nin = size_t(BATCH) * CIN * H * W;
  const size_t nw = size_t(CIN) * COUT * 4;
  const size_t nout = size_t(BATCH) * COUT * 4 * H * W;
  std::vector<float> hin(nin), hw(nw), hb(COUT, 0.1f), hout(nout);
  for (size_t i = 0; i < nin; ++i) hin[i] = float(i % 17) * 0.1f;
  for (size_t i = 0; i < nw; ++i) hw[i] = float(i % 7) * 0.05f - 0.15f;

  float *in, *w, *b, *out;
  CUDA_CHECK(cudaMalloc(&in, nin * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&w, nw * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&b, COUT * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, nout * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(in, hin.data(), nin * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(w, hw.data(), nw * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(b, hb.data(), COUT * sizeof(float), cudaMemcpyHostToDevice));

  dim3 block(32, 8);
  dim3 grid((2 * W + block.x - 1) / block.x, (2 * H + block.y - 1) / block.y, BATCH * COUT);
  upconv2x2<<<grid, block>>>(in, w, b, out);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(hout.data(), out, nout * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("out[0]=%f out[last]=%f\n", hout.front(), hout.back());
  cudaFree(in); cudaFree(w); cudaFree(b); cudaFree(out);
  return 0;
}
