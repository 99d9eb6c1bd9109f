// Tensor-core shapes as inline PTX; what exists depends on the architecture.
#define LANE (threadIdx.x & 31)
extern "C" __global__ void mma_884_f16(float *out, const unsigned *a, const unsigned *b) {
  float d[8] = {0};
  asm volatile(
      "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, "
      "{%0,%1,%2,%3,%4,%5,%6,%7};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
      : "r"(a[LANE]), "r"(a[LANE + 32]), "r"(b[LANE]), "r"(b[LANE + 32]));
  for (int i = 0; i < 8; ++i) out[LANE * 8 + i] = d[i];
}
#if __CUDA_ARCH__ >= 800
#define MMA4(NAME, OP, TYPE, CON, ...)                                                                        \
  extern "C" __global__ void NAME(TYPE *out, const unsigned *a, const unsigned *b) {                          \
    TYPE d[4] = {0};                                                                                          \
    asm volatile(OP " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                  \
                 : "+" CON(d[0]), "+" CON(d[1]), "+" CON(d[2]), "+" CON(d[3])                                 \
                 : "r"(a[LANE]), "r"(a[LANE + 32]), "r"(a[LANE + 64]), "r"(a[LANE + 96]), "r"(b[LANE]),       \
                   "r"(b[LANE + 32]));                                                                        \
    for (int i = 0; i < 4; ++i) out[LANE * 4 + i] = d[i];                                                     \
  }
MMA4(mma_16816_f16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", float, "f")
MMA4(mma_16816_bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", float, "f")
MMA4(mma_1688_tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", float, "f")
MMA4(mma_16832_s8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", int, "r")
extern "C" __global__ void mma_1688_f16(float *out, const unsigned *a, const unsigned *b) {
  float d[4] = {0};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[LANE]), "r"(a[LANE + 32]), "r"(b[LANE]));
  for (int i = 0; i < 4; ++i) out[LANE * 4 + i] = d[i];
}
extern "C" __global__ void mma_884_f64(double *out, const double *a, const double *b) {
  double d[2] = {0};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(a[LANE]), "d"(b[LANE]));
  out[LANE * 2] = d[0];
  out[LANE * 2 + 1] = d[1];
}
#endif
#if __CUDA_ARCH__ >= 890
MMA4(mma_16832_e4m3, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", float, "f")
#endif
