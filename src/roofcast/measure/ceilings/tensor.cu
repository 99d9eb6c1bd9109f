/* Matrix units through mma.sync, operands in registers: eight independent products per warp.

   One round is 8 x 4 products; a product of shape m x n x k is 2 m n k FLOPs per warp.
   tcgen05 (compute capability 10) is not driven from here, and mma.sync does not reach its rate; wgmma (9.0) has a
   text of its own. */
#define TIMES4(...) __VA_ARGS__; __VA_ARGS__; __VA_ARGS__; __VA_ARGS__

/* four accumulators of a type, a of four and b of two 32-bit registers */
#define MMA4(name, shape, type, letter)                                                                          \
  extern "C" __global__ void name(type* out, int seed, int rounds) {                                             \
    type c[8][4];                                                                                                \
    unsigned a[4], b[2];                                                                                         \
    for (int i = 0; i < 4; i++) a[i] = seed + i;                                                                 \
    b[0] = seed; b[1] = seed + 1;                                                                                \
    _Pragma("unroll") for (int i = 0; i < 8; i++) c[i][0] = c[i][1] = c[i][2] = c[i][3] = (type)i;               \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) {                                                       \
      TIMES4(_Pragma("unroll") for (int i = 0; i < 8; i++) asm volatile(                                         \
        "mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"             \
        : "+" letter(c[i][0]), "+" letter(c[i][1]), "+" letter(c[i][2]), "+" letter(c[i][3])                     \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])));                                    \
    }                                                                                                            \
    type sum = 0;                                                                                                \
    _Pragma("unroll") for (int i = 0; i < 8; i++) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];                  \
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;                                                            \
  }

/* two accumulators of 32 bits; na and nb registers of a and b by their text */
#define MMA2(name, shape, registers, ...)                                                                        \
  extern "C" __global__ void name(unsigned* out, int seed, int rounds) {                                         \
    unsigned c[8][2], a[4], b[2];                                                                                \
    for (int i = 0; i < 4; i++) a[i] = seed + i;                                                                 \
    b[0] = seed; b[1] = seed + 1;                                                                                \
    _Pragma("unroll") for (int i = 0; i < 8; i++) c[i][0] = c[i][1] = 0;                                         \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) {                                                       \
      TIMES4(_Pragma("unroll") for (int i = 0; i < 8; i++) asm volatile(                                         \
        "mma.sync.aligned." shape " {%0, %1}, " registers ", {%0, %1};"                                          \
        : "+r"(c[i][0]), "+r"(c[i][1]) : __VA_ARGS__));                                                          \
    }                                                                                                            \
    unsigned sum = 0;                                                                                            \
    _Pragma("unroll") for (int i = 0; i < 8; i++) sum ^= c[i][0] ^ c[i][1];                                      \
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;                                                            \
  }

#if __CUDA_ARCH__ >= 800
MMA4(mma_fp16_fp32, "m16n8k16.row.col.f32.f16.f16.f32", float, "f")
MMA4(mma_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32", float, "f")
MMA4(mma_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", float, "f")
MMA4(mma_int8, "m16n8k32.row.col.s32.s8.s8.s32", int, "r")
MMA2(mma_fp16, "m16n8k16.row.col.f16.f16.f16.f16", "{%2, %3, %4, %5}, {%6, %7}",
     "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

extern "C" __global__ void mma_fp64(double* out, double seed, int rounds) {
  double c[8][2];
#pragma unroll
  for (int i = 0; i < 8; i++) c[i][0] = c[i][1] = i;
#pragma unroll 1
  for (int k = 0; k < rounds; k++) {
    TIMES4(_Pragma("unroll") for (int i = 0; i < 8; i++) asm volatile(
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%2}, {%0, %1};"
      : "+d"(c[i][0]), "+d"(c[i][1]) : "d"(seed)));
  }
  double sum = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) sum += c[i][0] + c[i][1];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
#else
MMA2(mma_fp16, "m16n8k8.row.col.f16.f16.f16.f16", "{%2, %3}, {%4}", "r"(a[0]), "r"(a[1]), "r"(b[0]))
MMA2(mma_int8, "m8n8k16.row.col.s32.s8.s8.s32", "{%2}, {%3}", "r"(a[0]), "r"(b[0]))

extern "C" __global__ void mma_fp16_fp32(float* out, int seed, int rounds) {
  float c[8][4];
#pragma unroll
  for (int i = 0; i < 8; i++) c[i][0] = c[i][1] = c[i][2] = c[i][3] = (float)i;
#pragma unroll 1
  for (int k = 0; k < rounds; k++) {
    TIMES4(_Pragma("unroll") for (int i = 0; i < 8; i++) asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3]) : "r"(seed), "r"(seed + 1), "r"(seed + 2)));
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
#endif
/* compute capability 9.0 and 10.0 have FP8 only in their own instructions: this one is emulated there */
#if __CUDA_ARCH__ >= 890 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ / 100 != 10
MMA4(mma_fp8, "m16n8k32.row.col.f32.e4m3.e4m3.f32", float, "f")
#endif
#if __CUDA_ARCH__ == 900
/* the wide shape, which Hopper needs for its full FP64 rate */
extern "C" __global__ void mma_fp64_wide(double* out, double seed, int rounds) {
  double c[8][4];
#pragma unroll
  for (int i = 0; i < 8; i++) c[i][0] = c[i][1] = c[i][2] = c[i][3] = i;
#pragma unroll 1
  for (int k = 0; k < rounds; k++) {
    TIMES4(_Pragma("unroll") for (int i = 0; i < 8; i++) asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %4, %4, %4, %4, %4, %4, %4}, "
      "{%4, %4, %4, %4}, {%0, %1, %2, %3};"
      : "+d"(c[i][0]), "+d"(c[i][1]), "+d"(c[i][2]), "+d"(c[i][3]) : "d"(seed)));
  }
  double sum = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
#endif
