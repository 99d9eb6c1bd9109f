/* Matrix units, operands in registers: eight independent products per warp.

   One round is 8 x 4 products; a product of shape m x n x k is 2 m n k FLOPs per warp. The operands come from memory,
   word by word of all lanes: first a, then b, the same for every warp. out: sums of the product that the warp's number
   names (all eight are the same), element by element of all threads; every block writes the same.
   wgmma (compute capability 9.0) and tcgen05 (10) have texts of their own. */
#include "matrix.cuh"

#define PRODUCT(name)                                                                                           \
  extern "C" __global__ void __launch_bounds__(256) mma_##name(sums_##name::Value* out, const unsigned* operands, \
                                                               int rounds) {                                    \
    a_##name a = operand<a_##name>(operands);                                                                   \
    b_##name b = operand<b_##name>(operands);                                                                   \
    sums_##name c[8];                                                                                           \
    _Pragma("unroll") for (int i = 0; i < 8; i++)                                                               \
        _Pragma("unroll") for (int e = 0; e < sums_##name::count; e++) c[i].v[e] = 0;                           \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) {                                                      \
      TIMES4(_Pragma("unroll") for (int i = 0; i < 8; i++) multiply_##name(c[i], a, b));                        \
    }                                                                                                           \
    _Pragma("unroll") for (int i = 0; i < 8; i++)                                                               \
        if (i % (blockDim.x / LANES) == threadIdx.x / LANES)                                                    \
            _Pragma("unroll") for (int e = 0; e < sums_##name::count; e++)                                      \
                out[e * blockDim.x + threadIdx.x] = c[i].v[e];                                                  \
  }

#if ROOFCAST_NVIDIA
PRODUCT(fp16)
PRODUCT(fp16_fp32)
PRODUCT(int8)
#if __CUDA_ARCH__ >= 800
PRODUCT(bf16)
PRODUCT(tf32)
PRODUCT(fp64)
#endif
#if __CUDA_ARCH__ == 900
PRODUCT(fp64_wide)
#endif
#if HAS_FP8
PRODUCT(fp8)
PRODUCT(fp8_fp32)
#endif
#if HAS_NARROW
PRODUCT(fp6)
PRODUCT(fp4)
PRODUCT(mxfp8)
#endif

#elif HAS_MFMA
PRODUCT(fp64)
PRODUCT(fp16_fp32)
PRODUCT(bf16)
PRODUCT(int8)
#if HAS_TF32
PRODUCT(tf32)
#endif
#if HAS_FP8
PRODUCT(fp8_fp32)
#endif
#endif
