// Warp-group matrix multiply: exists on sm_90a only.
extern "C" __global__ void wgmma_64n16k16(float *out, unsigned long long a, unsigned long long b) {
  float d[8] = {0};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
      : "l"(a), "l"(b));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  for (int i = 0; i < 8; ++i) out[threadIdx.x * 8 + i] = d[i];
}
extern "C" __global__ void wgmma_64n64k32_e4m3(float *out, unsigned long long a, unsigned long long b) {
  float d[4] = {0};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, %4, %5, 1, 1, 1;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(a), "l"(b));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
extern "C" __global__ void wgmma_kinds(float *out, unsigned long long a, unsigned long long b, unsigned m) {
  float d[4] = {0};
  int e[4] = {0};
#define INTO "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define COUNT "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3])
#define SUM "{%0,%1,%2,%3}"
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 " SUM ",%4,%5,1,1,1,0,0;" : INTO : "l"(a), "l"(b));
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 " SUM ",%4,%5,1,1,1;" : INTO : "l"(a), "l"(b));
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " SUM ",{%5,%5,%5,%5},%4,1,1,1,0;" : INTO : "l"(b), "r"(m));
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " SUM ",%4,%5,%6,0,1,1,1,0,0;" : INTO : "l"(a), "l"(b), "r"(m));
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.tf32.tf32 " SUM ",%4,%5,%6,0,1,1,1;" : INTO : "l"(a), "l"(b), "r"(m));
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k64.f32.e4m3.e4m3 " SUM ",%4,%5,%6,0,1,1,1;" : INTO : "l"(a), "l"(b), "r"(m));
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 " SUM ",%4,%5,1;" : COUNT : "l"(a), "l"(b));
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 " SUM ",%4,%5,%6,0,1;" : COUNT : "l"(a), "l"(b), "r"(m));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i] + e[i];
}
