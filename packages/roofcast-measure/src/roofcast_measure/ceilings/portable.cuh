/* What CUDA and HIP spell differently: each access that must become one given instruction, once for NVIDIA (PTX), once
   for AMD (builtins and scopes of clang) and once as plain C++, as the CPU runs it. The kernels are the same text.

   HIP: 128 arithmetic operations of a round may be fewer instructions there (packed FP32), loads of 4 bytes two per
   instruction: amounts are counted in operations and bytes, so they hold. */
#if defined(__HIP__)
#include <hip/hip_runtime.h>
#define ROOFCAST_AMD 1
#elif defined(__CUDACC__)
#define ROOFCAST_NVIDIA 1
#endif

#if defined(__GFX9__) /* waves of 64; elsewhere the threads that run together are 32 */
#define LANES 64
#else
#define LANES 32
#endif

struct __align__(16) Four {
  unsigned x, y, z, w;
};
struct __align__(16) Two {
  double x, y;
};

#if ROOFCAST_NVIDIA
#define ASM1(text, a, b) asm volatile(text : "+r"(a) : "r"(b))
#define ASM2(text, a, b, c) asm volatile(text : "+r"(a) : "r"(b), "r"(c))
#define INT_MAD(a) ASM2("mad.lo.s32 %0, %0, %1, %2;", a, m, s)
#define SPECIAL(a) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a))
#define HALF_FMA(a) ASM2("fma.rn.f16x2 %0, %0, %1, %2;", a, m, s)
#define HALF_ADD(a) ASM1("add.rn.f16x2 %0, %0, %1;", a, s)
#define HALF_MUL(a) ASM1("mul.rn.f16x2 %0, %0, %1;", a, m)
#define BRAIN_FMA(a) ASM2("fma.rn.bf16x2 %0, %0, %1, %2;", a, m, s)
#define BRAIN_ADD(a) ASM1("add.rn.bf16x2 %0, %0, %1;", a, s)
#define BRAIN_MUL(a) ASM1("mul.rn.bf16x2 %0, %0, %1;", a, m)
#define HAS_HALF (__CUDA_ARCH__ >= 530)
#define HAS_BRAIN_FMA (__CUDA_ARCH__ >= 800)
#define HAS_BRAIN (__CUDA_ARCH__ >= 900)

#define ADD_ONE(p, one) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(one) : "memory")
#define ADD_SHARED(p, one) asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(SHARED_PLACE(p)), "r"(one) : "memory")

/* one dependent load of 8 bytes: through all caches, or past L1 */
#define STEP_CA(p) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory")
#define STEP_CG(p) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory")
#define SHARED_PLACE(tile) (unsigned)__cvta_generic_to_shared(tile)
#define SHARED_FIRST(tile) SHARED_PLACE(tile)
#define STEP_SHARED(p, tile) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory")

__device__ __forceinline__ Four load_past_l1(const Four* p) {
  Four v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}

/* 16 bytes; FIRST_OUT: a cache gives them up before others. Not loads of the read-only kind, which the assembler moves
   behind stores until few are in flight at a time. */
__device__ __forceinline__ Two GET_TWO(const Two* p) {
  Two v;
  asm("ld.global.v2.f64 {%0, %1}, [%2];" : "=d"(v.x), "=d"(v.y) : "l"(p));
  return v;
}
__device__ __forceinline__ void PUT_TWO(Two* p, Two v) {
  asm volatile("st.global.v2.f64 [%0], {%1, %2};" ::"l"(p), "d"(v.x), "d"(v.y) : "memory");
}
__device__ __forceinline__ Two GET_FIRST_OUT(const Two* p) {
  Two v;
  asm("ld.global.cs.v2.f64 {%0, %1}, [%2];" : "=d"(v.x), "=d"(v.y) : "l"(p));
  return v;
}
__device__ __forceinline__ void PUT_FIRST_OUT(Two* p, Two v) {
  asm volatile("st.global.cs.v2.f64 [%0], {%1, %2};" ::"l"(p), "d"(v.x), "d"(v.y) : "memory");
}

/* a load of 4, 8 or 16 bytes at a constant distance from p, which the assembler leaves where it stands */
#define IN_GLOBAL "global.ca", "l"
#define IN_SHARED "shared", "r"
typedef unsigned SharedPlace;
#define GET1(at, space, c) \
  asm volatile("ld." space ".u32 %0, [%1 + " #at "];" : "=r"(v.x) : c(p)); found ^= v.x;
#define GET2(at, space, c) \
  asm volatile("ld." space ".v2.u32 {%0, %1}, [%2 + " #at "];" : "=r"(v.x), "=r"(v.y) : c(p)); found ^= v.x ^ v.y;
#define GET4(at, space, c)                                                                                      \
  asm volatile("ld." space ".v4.u32 {%0, %1, %2, %3}, [%4 + " #at "];"                                          \
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : c(p));                                            \
  found ^= v.x ^ v.y ^ v.z ^ v.w;

#else
#define INT_MAD(a) a = a * m + s
#define IN_GLOBAL
#define IN_SHARED
typedef const char* SharedPlace;
#define SHARED_PLACE(tile) (const char*)(tile)
#define SHARED_FIRST(tile) 0u
#define STEP_SHARED(p, tile) p = *(const unsigned*)((const char*)tile + p)
#define GET1(at, ...) v.x = *(const unsigned*)(p + at); found ^= v.x;

#if ROOFCAST_AMD
typedef unsigned Two32 __attribute__((ext_vector_type(2)));
typedef unsigned Four32 __attribute__((ext_vector_type(4)));
typedef __attribute__((address_space(1))) unsigned long long GlobalWord;
#define SPECIAL(a) a = __builtin_amdgcn_rsqf(a)
#define HALF_FMA(a) asm volatile("v_pk_fma_f16 %0, %0, %1, %2" : "+v"(a) : "v"(m), "v"(s))
#define HALF_ADD(a) asm volatile("v_pk_add_f16 %0, %0, %1" : "+v"(a) : "v"(s))
#define HALF_MUL(a) asm volatile("v_pk_mul_f16 %0, %0, %1" : "+v"(a) : "v"(m))
#define HAS_HALF 1
#define ADD_ONE(p, one) atomicAdd(p, one)
#define ADD_SHARED(p, one) atomicAdd(p, one)
#define STEP_CA(p) p = *(const GlobalWord*)p
/* the memory model sends loads of agent scope past the caches of one compute unit */
#define STEP_CG(p) p = __hip_atomic_load((GlobalWord*)p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define GET2(at, ...) { Two32 u = *(const Two32*)(p + at); v.x = u.x; found ^= v.x ^ u.y; }
#define GET4(at, ...) { Four32 u = *(const Four32*)(p + at); v.x = u.x; found ^= v.x ^ u.y ^ u.z ^ u.w; }

__device__ __forceinline__ Four load_past_l1(const Four* p) {
  GlobalWord* from = (GlobalWord*)p;
  unsigned long long low = __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  unsigned long long high = __hip_atomic_load(from + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  Four v;
  v.x = (unsigned)low, v.y = (unsigned)(low >> 32), v.z = (unsigned)high, v.w = (unsigned)(high >> 32);
  return v;
}

#define GET_TWO(p) (*(p))
#define PUT_TWO(p, v) *(p) = (v)
typedef double TwoDoubles __attribute__((ext_vector_type(2)));
__device__ __forceinline__ Two GET_FIRST_OUT(const Two* p) {
  TwoDoubles u = __builtin_nontemporal_load((const TwoDoubles*)p);
  Two v;
  v.x = u.x, v.y = u.y;
  return v;
}
__device__ __forceinline__ void PUT_FIRST_OUT(Two* p, Two v) {
  TwoDoubles u;
  u.x = v.x, u.y = v.y;
  __builtin_nontemporal_store(u, (TwoDoubles*)p);
}

#else
#define GET_TWO(p) (*(p))
#define PUT_TWO(p, v) *(p) = (v)
inline Two GET_FIRST_OUT(const Two* p) { return *p; }
inline void PUT_FIRST_OUT(Two* p, Two v) { *p = v; }
static long long clock64() {
  static long long now = 0;
  return now += 16;
}
#define SPECIAL(a) a = 1.0f / sqrtf(a)
#define HAS_HALF 0
#define ADD_ONE(p, one) atomicAdd(p, one)
#define ADD_SHARED(p, one) atomicAdd(p, one)
#define STEP_CA(p) p = *(unsigned long long*)p
#define STEP_CG(p) p = *(unsigned long long*)p
#define GET2(at, ...) GET1(at, ) v.y = *(const unsigned*)(p + at + 4); found ^= v.y;
#define GET4(at, ...) v = *(const Four*)(p + at); found ^= v.x ^ v.y ^ v.z ^ v.w;
inline Four load_past_l1(const Four* p) { return *p; }
#endif

#define HAS_BRAIN_FMA 0
#define HAS_BRAIN 0
#endif

#define TIMES4(...) __VA_ARGS__; __VA_ARGS__; __VA_ARGS__; __VA_ARGS__
#define TIMES16(...) TIMES4(TIMES4(__VA_ARGS__))
