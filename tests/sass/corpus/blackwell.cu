// Fifth-generation tensor instructions (shape in a descriptor), packed FP32, loads of 256 bits: sm_100a.
typedef unsigned u32;
typedef unsigned long long u64;
extern "C" __global__ void packed_floats(u64 *out, const u64 *a) {
  u64 r;
  asm("fma.rn.f32x2 %0,%1,%2,%3;" : "=l"(r) : "l"(a[0]), "l"(a[1]), "l"(a[2]));
  asm("add.rn.f32x2 %0,%0,%1;" : "+l"(r) : "l"(a[4]));
  asm("mul.rn.f32x2 %0,%0,%1;" : "+l"(r) : "l"(a[5]));
  out[threadIdx.x] = r;
}
extern "C" __global__ void wide_accesses(float *o, const float *a) {
  float r[8];
  asm volatile("ld.global.nc.v8.f32 {%0,%1,%2,%3,%4,%5,%6,%7},[%8];"
               : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]), "=f"(r[6]), "=f"(r[7])
               : "l"(a));
  asm volatile("st.global.v8.f32 [%8],{%0,%1,%2,%3,%4,%5,%6,%7};" ::"f"(r[0]), "f"(r[1]), "f"(r[2]), "f"(r[3]),
               "f"(r[4]), "f"(r[5]), "f"(r[6]), "f"(r[7]), "l"(o));
}
#define FIFTH(NAME, KIND, SCALES)                                                                                 \
  extern "C" __global__ void NAME(u32 *o, u64 a, u64 b, u32 descriptor, u32 scale) {                              \
    __shared__ u32 s;                                                                                             \
    __shared__ u64 bar;                                                                                           \
    u32 sa = (u32)__cvta_generic_to_shared(&s), sb = (u32)__cvta_generic_to_shared(&bar), r;                      \
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0],128;" ::"r"(sa));                  \
    u32 t = s;                                                                                                    \
    asm volatile("{.reg .pred p; setp.ne.b32 p,%4,0; tcgen05.mma.cta_group::1.kind::" KIND                        \
                 " [%0],%1,%2,%3," SCALES "p;}" ::"r"(t), "l"(a), "l"(b), "r"(descriptor), "r"(o[1]), "r"(scale)); \
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(sb));        \
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0},[%1]; tcgen05.wait::ld.sync.aligned;"                \
                 : "=r"(r) : "r"(t));                                                                             \
    o[threadIdx.x] = r;                                                                                           \
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0],{%1}; tcgen05.wait::st.sync.aligned;" ::"r"(t), "r"(r)); \
    asm volatile("tcgen05.cp.cta_group::1.128x256b [%0],%1;" ::"r"(t), "l"(a));                                   \
    asm volatile("tcgen05.shift.cta_group::1.down [%0];" ::"r"(t));                                               \
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0,128;" ::"r"(t));                               \
  }
FIFTH(fifth_f16, "f16", "")
FIFTH(fifth_tf32, "tf32", "")
FIFTH(fifth_f8, "f8f6f4", "")
FIFTH(fifth_i8, "i8", "")
FIFTH(fifth_mxf8, "mxf8f6f4.block_scale.scale_vec::1X", "[%5],[%5],")
FIFTH(fifth_nvf4, "mxf4nvf4.block_scale.scale_vec::4X", "[%5],[%5],")
