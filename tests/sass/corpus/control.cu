// Loops, divergence, indirect branches, function pointers, calls that stay calls, dead code after exit.
extern "C" __global__ void nested_loops(float *out, const float *a, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < n; ++j) {
    if (a[j] > 0.5f) {
      for (int k = 0; k < m; ++k) sum = fmaf(a[k * n + j], sum, 1.0f);
    } else {
      sum += a[j];
    }
    if (sum > 1e6f) break;
  }
  out[i] = sum;
}
extern "C" __global__ void jump_table(float *out, const int *op, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = out[i];
  switch (op[i]) {
    case 0: x = x * 3.0f + 1.0f; out[i + 1] = x; break;
    case 1: x = x - 2.0f; atomicAdd(out, x); break;
    case 2: x = x / 7.0f; break;
    case 3: x = __sinf(x); break;
    case 4: x = x * x * x; out[i + 9] = x; break;
    case 5: x = floorf(x) + 1.0f; break;
    case 6: x = fabsf(x) - sqrtf(x); break;
    case 7: x = exp2f(x); break;
    case 8: x = __logf(x); out[2 * i] = x; break;
    default: x = 0.0f;
  }
  out[i] = x;
}
__device__ __noinline__ float twice(float x) { return x * 2.0f; }
__device__ __noinline__ float cube(float x) { return x * x * x; }
typedef float (*Unary)(float);
extern "C" __global__ void function_pointers(float *out, const int *op, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Unary f = op[i] ? twice : cube;
  if (i < n) out[i] = f(out[i]) + twice(out[i]);
}
extern "C" __global__ void reduce_block(float *out, const float *a, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? a[i] : 0.0f;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
extern "C" __global__ void atomics(int *out, unsigned long long *wide, float *f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[i & 31], 1);
  atomicMax(out + (i & 7), i);
  wide[i] = atomicCAS(wide + n, 1ull, 2ull) + atomicAdd(wide, 3ull);
  atomicExch(f, 2.0f);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(out + 64 + threadIdx.x, bins[threadIdx.x]);
}
extern "C" __global__ void shuffles(int *out, int n) {
  int i = threadIdx.x;
  unsigned m = __ballot_sync(0xffffffffu, out[i] > n);
  int v = __shfl_xor_sync(0xffffffffu, out[i], 4) + __popc(m);
#if __CUDA_ARCH__ >= 800
  v += __reduce_add_sync(0xffffffffu, v);
#endif
  out[i] = v;
}
extern "C" __global__ void indirect_branch(float *out, const int *op) {
  float x = out[threadIdx.x];
  asm volatile(
      "{\n"
      "  TABLE: .branchtargets CASE0, CASE1, CASE2, CASE3;\n"
      "  brx.idx %1, TABLE;\n"
      "  CASE0: fma.rn.f32 %0, %0, %0, 0f3F800000; bra DONE;\n"
      "  CASE1: mul.rn.f32 %0, %0, %0; mul.rn.f32 %0, %0, %0; bra DONE;\n"
      "  CASE2: div.rn.f32 %0, 0f3F800000, %0; bra DONE;\n"
      "  CASE3: sqrt.rn.f32 %0, %0;\n"
      "  DONE:\n"
      "}"
      : "+f"(x)
      : "r"(op[threadIdx.x]));
  out[threadIdx.x] = x;
}
