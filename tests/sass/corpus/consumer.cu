// Block-scaled and narrow tensor shapes of sm_120a.
#define INTO "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define SUM "{%0,%1,%2,%3}"
#define FOUR "{%4,%4,%4,%4}"
#define TWO "{%4,%4}"
#define SCALES "{%5},{0,0},{%5},{0,0};"
extern "C" __global__ void scaled(float *out, const unsigned *a) {
  float d[4] = {0};
  asm volatile("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 "
               SUM "," FOUR "," TWO "," SUM "," SCALES : INTO : "r"(a[0]), "r"(a[1]));
  asm volatile("mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 "
               SUM "," FOUR "," TWO "," SUM "," SCALES : INTO : "r"(a[0]), "r"(a[1]));
  asm volatile("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 "
               SUM "," FOUR "," TWO "," SUM "," SCALES : INTO : "r"(a[0]), "r"(a[1]));
  asm volatile("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32 " SUM "," FOUR "," TWO "," SUM ";"
               : INTO : "r"(a[0]));
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 "
               SUM "," FOUR "," FOUR "," SUM ",%5,0;" : INTO : "r"(a[0]), "r"(a[1]));
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X"
               ".f32.e2m1.e2m1.f32.ue4m3 " SUM "," FOUR "," FOUR "," SUM ",%5,0," SCALES
               : INTO : "r"(a[0]), "r"(a[1]));
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
