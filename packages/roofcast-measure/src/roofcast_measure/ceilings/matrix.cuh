/* One product of the matrix units per warp, by type: mma.sync of NVIDIA (PTX), MFMA of AMD's CDNA.

   Sums<T, n>, Words<n>: what one thread holds of the sums and of an operand. multiply_*(c, a, b): c += a b. */
#include "portable.cuh"

template <class T, int n>
struct Sums {
  typedef T Value;
  static constexpr int count = n;
  T v[n];
};
template <int n>
struct Words {
  unsigned v[n];
};

/* a thread's part of an operand: word i of all lanes stands together */
template <class T>
__device__ __forceinline__ T operand(const unsigned*& from) {
  T found;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) / 4); i++) ((unsigned*)&found)[i] = from[i * LANES + threadIdx.x % LANES];
  from += sizeof(T) / 4 * LANES;
  return found;
}

#if ROOFCAST_NVIDIA
#define MMA4(name, A, B, T, letter, shape, ...)                                                                 \
  typedef Sums<T, 4> sums_##name; typedef Words<A> a_##name; typedef Words<B> b_##name;                         \
  __device__ __forceinline__ void multiply_##name(sums_##name& c, const a_##name& a, const b_##name& b) {       \
    asm volatile("mma.sync.aligned." shape                                                                      \
                 : "+" letter(c.v[0]), "+" letter(c.v[1]), "+" letter(c.v[2]), "+" letter(c.v[3]) : __VA_ARGS__); \
  }
#define MMA2(name, A, B, shape, ...)                                                                            \
  typedef Sums<unsigned, 2> sums_##name; typedef Words<A> a_##name; typedef Words<B> b_##name;                  \
  __device__ __forceinline__ void multiply_##name(sums_##name& c, const a_##name& a, const b_##name& b) {       \
    asm volatile("mma.sync.aligned." shape : "+r"(c.v[0]), "+r"(c.v[1]) : __VA_ARGS__);                         \
  }
#define FULL4 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define FULL2 " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
#define R(x) "r"(x)
#define OPERANDS R(a.v[0]), R(a.v[1]), R(a.v[2]), R(a.v[3]), R(b.v[0]), R(b.v[1])

#if __CUDA_ARCH__ >= 800
MMA4(fp16_fp32, 4, 2, float, "f", "m16n8k16.row.col.f32.f16.f16.f32" FULL4, OPERANDS)
MMA4(bf16, 4, 2, float, "f", "m16n8k16.row.col.f32.bf16.bf16.f32" FULL4, OPERANDS)
MMA4(tf32, 4, 2, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32" FULL4, OPERANDS)
MMA4(int8, 4, 2, int, "r", "m16n8k32.row.col.s32.s8.s8.s32" FULL4, OPERANDS)
MMA2(fp16, 4, 2, "m16n8k16.row.col.f16.f16.f16.f16" FULL2, OPERANDS)

typedef Sums<double, 2> sums_fp64;
typedef double a_fp64;
typedef double b_fp64;
__device__ __forceinline__ void multiply_fp64(sums_fp64& c, const double& a, const double& b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c.v[0]), "+d"(c.v[1]) : "d"(a), "d"(b));
}
#else
MMA4(fp16_fp32, 2, 1, float, "f",
     "m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};",
     R(a.v[0]), R(a.v[1]), R(b.v[0]))
MMA2(fp16, 2, 1, "m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};",
     R(a.v[0]), R(a.v[1]), R(b.v[0]))
MMA2(int8, 1, 1, "m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};", R(a.v[0]), R(b.v[0]))
#endif

/* compute capability 9.0 and 10.x have FP8 only in their own instructions: this one is emulated there */
#if __CUDA_ARCH__ >= 890 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ / 100 != 10
#define HAS_FP8 1
MMA4(fp8_fp32, 4, 2, float, "f", "m16n8k32.row.col.f32.e4m3.e4m3.f32" FULL4, OPERANDS)
MMA2(fp8, 4, 2, "m16n8k32.row.col.f16.e4m3.e4m3.f16" FULL2, OPERANDS)
#endif

#if __CUDA_ARCH__ == 900
/* the wide shape, which Hopper needs for its full FP64 rate */
typedef Sums<double, 4> sums_fp64_wide;
struct a_fp64_wide {
  double v[8];
};
struct b_fp64_wide {
  double v[4];
};
__device__ __forceinline__ void multiply_fp64_wide(sums_fp64_wide& c, const a_fp64_wide& a, const b_fp64_wide& b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
               : "+d"(c.v[0]), "+d"(c.v[1]), "+d"(c.v[2]), "+d"(c.v[3])
               : "d"(a.v[0]), "d"(a.v[1]), "d"(a.v[2]), "d"(a.v[3]), "d"(a.v[4]), "d"(a.v[5]), "d"(a.v[6]),
                 "d"(a.v[7]), "d"(b.v[0]), "d"(b.v[1]), "d"(b.v[2]), "d"(b.v[3]));
}
#endif

/* code for one architecture alone (sm_120a): 6-bit operands, one per byte, and 4-bit operands with a scale each 16 */
#if __CUDA_ARCH_SPECIFIC__ / 100 == 12 || defined(__CUDA_ARCH_FEAT_SM120_ALL)
#define HAS_NARROW 1
#endif
#if HAS_NARROW
MMA4(fp6, 4, 2, float, "f", "kind::f8f6f4.m16n8k32.row.col.f32.e2m3.e2m3.f32" FULL4, OPERANDS)
#define SCALED " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, {0, 0}, {%11}, {0, 0};"
MMA4(fp4, 5, 3, float, "f", "kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3" SCALED,
     OPERANDS, R(a.v[4]), R(b.v[2]))
MMA4(mxfp8, 5, 3, float, "f", "kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0" SCALED,
     OPERANDS, R(a.v[4]), R(b.v[2]))
#endif

#elif ROOFCAST_AMD
/* 32 x 32 sums in 16 registers per lane (FP64: 16 x 16 in four); gfx90a and newer */
#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define HAS_MFMA 1
#define VECTOR(T, n) T __attribute__((ext_vector_type(n)))
#define MFMA(name, T, n, OPERAND, builtin)                                                                      \
  typedef VECTOR(T, n) vector_##name;                                                                           \
  struct sums_##name {                                                                                          \
    typedef T Value;                                                                                            \
    static constexpr int count = n;                                                                             \
    vector_##name v;                                                                                            \
  };                                                                                                            \
  typedef OPERAND a_##name; typedef OPERAND b_##name;                                                           \
  __device__ __forceinline__ void multiply_##name(sums_##name& c, const OPERAND& a, const OPERAND& b) {         \
    c.v = builtin(a, b, c.v, 0, 0, 0);                                                                          \
  }
typedef VECTOR(_Float16, 4) Halves;
typedef VECTOR(short, 4) Brains;
typedef VECTOR(float, 2) Floats;
MFMA(fp64, double, 4, double, __builtin_amdgcn_mfma_f64_16x16x4f64)
MFMA(fp16_fp32, float, 16, Halves, __builtin_amdgcn_mfma_f32_32x32x8f16)
MFMA(bf16, float, 16, Brains, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k)
#if defined(__gfx90a__)
MFMA(int8, int, 16, int, __builtin_amdgcn_mfma_i32_32x32x8i8)
#else
#define HAS_FP8 1
MFMA(int8, int, 16, long, __builtin_amdgcn_mfma_i32_32x32x16_i8)
MFMA(fp8_fp32, float, 16, long, __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8)
#endif
#if defined(__gfx942__)
#define HAS_TF32 1
MFMA(tf32, float, 16, Floats, __builtin_amdgcn_mfma_f32_32x32x4_xf32)
#endif
#endif
#endif
