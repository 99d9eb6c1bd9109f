// Sparse, narrow and old tensor shapes, packed brain floats: sm_80 and newer.
#include <cuda_bf16.h>
#define LANE (threadIdx.x & 31)
#define ACCUMULATE4(D) "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])
#define COUNT4(D) "+r"(D[0]), "+r"(D[1]), "+r"(D[2]), "+r"(D[3])
#define FOUR "{%4,%4,%4,%4}"
#define TWO "{%4,%4}"
#define SUM "{%0,%1,%2,%3}"
extern "C" __global__ void sparse_floats(float *out, const unsigned *a) {
  float d[4] = {0};
  unsigned h[2] = {0};
  asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " SUM "," TWO "," TWO "," SUM ",%5,0x0;"
               : ACCUMULATE4(d) : "r"(a[0]), "r"(a[1]));
  asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 " SUM "," FOUR "," FOUR "," SUM ",%5,0x0;"
               : ACCUMULATE4(d) : "r"(a[0]), "r"(a[1]));
  asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 " SUM "," FOUR "," FOUR "," SUM ",%5,0x0;"
               : ACCUMULATE4(d) : "r"(a[0]), "r"(a[1]));
  asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 " SUM "," FOUR "," FOUR "," SUM ",%5,0x0;"
               : ACCUMULATE4(d) : "r"(a[0]), "r"(a[1]));
  asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 {%0,%1},{%2,%2,%2,%2},{%2,%2,%2,%2},{%0,%1},%3,0x0;"
               : "+r"(h[0]), "+r"(h[1]) : "r"(a[0]), "r"(a[1]));
  for (int i = 0; i < 4; ++i) out[LANE * 4 + i] = d[i] + h[i & 1];
}
extern "C" __global__ void sparse_integers(int *out, const unsigned *a) {
  int d[4] = {0};
  asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " SUM "," TWO "," TWO "," SUM ",%5,0x0;"
               : COUNT4(d) : "r"(a[0]), "r"(a[1]));
  asm volatile("mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 " SUM "," FOUR "," FOUR "," SUM ",%5,0x0;"
               : COUNT4(d) : "r"(a[0]), "r"(a[1]));
  for (int i = 0; i < 4; ++i) out[LANE * 4 + i] = d[i];
}
#if __CUDA_ARCH__ < 900
extern "C" __global__ void four_bits(int *out, const unsigned *a) {
  int d[4] = {0};
  asm volatile("mma.sp.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32 " SUM "," FOUR "," FOUR "," SUM ",%5,0x0;"
               : COUNT4(d) : "r"(a[0]), "r"(a[1]));
  asm volatile("mma.sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 " SUM "," TWO "," TWO "," SUM ",%5,0x0;"
               : COUNT4(d) : "r"(a[0]), "r"(a[1]));
  asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 " SUM "," FOUR "," TWO "," SUM ";"
               : COUNT4(d) : "r"(a[0]));
  for (int i = 0; i < 4; ++i) out[LANE * 4 + i] = d[i];
}
#endif
extern "C" __global__ void brain_packed(__nv_bfloat162 *out, const __nv_bfloat162 *a) {
  __nv_bfloat162 b = __hfma2(a[1], a[2], a[3]);
  out[LANE] = __hadd2(__hmul2(b, b), a[4]);
}
