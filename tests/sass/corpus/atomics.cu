// Operand widths of atomics.
typedef unsigned long long u64;
extern "C" __global__ void old_atomics(int *o, float *f, double *d, u64 *u) {
  __shared__ int s[64];
  __shared__ u64 w[4];
  s[threadIdx.x & 63] = o[1];
  __syncthreads();
  o[3] = atomicAdd(s + 3, o[4]) + atomicCAS(s + 4, 5, o[6]) + atomicExch(s + 5, o[7]) + atomicMin(s + 6, o[8]);
  u[1] = atomicAdd(w, u[2]) + atomicCAS(w + 1, u[3], u[4]) + atomicAdd(u + 8, u[9]) + atomicCAS(u + 11, u[12], u[13]);
  f[2] = atomicAdd(f + 3, f[4]);
  atomicAdd(f + 5, f[6]);
  d[1] = atomicAdd(d + 2, d[3]);
  atomicAdd(d + 7, 1.0);
  atomicOr(o + 90, o[91]);
  atomicMax((long long *)u + 20, (long long)u[21]);
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void wide_atomics(float *o, const float *a) {
  unsigned h = ((const unsigned *)a)[4];
  asm volatile("red.global.v2.f32.add [%0],{%1,%1};" ::"l"(o), "f"(a[0]));
  asm volatile("red.global.v4.f32.add [%0],{%1,%1,%1,%1};" ::"l"(o), "f"(a[0]));
  asm volatile("red.global.add.f64 [%0],%1;" ::"l"(o), "d"(((const double *)a)[5]));
  asm volatile("red.global.add.noftz.f16x2 [%0],%1;" ::"l"(o), "r"(h));
  asm volatile("red.global.v4.f16x2.add.noftz [%0],{%1,%1,%1,%1};" ::"l"(o), "r"(h));
  asm volatile("red.global.v2.f16x2.add.noftz [%0],{%1,%1};" ::"l"(o), "r"(h));
  asm volatile("red.global.v4.bf16x2.add.noftz [%0],{%1,%1,%1,%1};" ::"l"(o), "r"(h));
}
#endif
