#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// linear blend skinning: four joints per vertex, 3x4 matrices
constexpr int kVerts = 300000;
constexpr int kJoints = 96;

struct Mat34 { float4 r0, r1, r2; };

static __device__ __forceinline__ float row_apply(float4 r, float3 p) { return r.x * p.x + r.y * p.y + r.z * p.z + r.w; }

__global__ void skin_points(const float3* rest, const int4* joint, const float4* weight, const Mat34* palette, float3* posed, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    const float3 p = rest[v];
    const int4 j = joint[v];
    const float4 w = weight[v];
    const int id[4] = { j.x, j.y, j.z, j.w };
    const float wt[4] = { w.x, w.y, w.z, w.w };
    float3 o = make_float3(0.f, 0.f, 0.f);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const Mat34 m = palette[id[k]];
        o.x += wt[k] * row_apply(m.r0, p);
        o.y += wt[k] * row_apply(m.r1, p);
        o.z += wt[k] * row_apply(m.r2, p);
    }
    posed[v] = o;
}

// palette = pose * inverse bind, one thread for one number of the 3x4 result
__global__ void build_palette(const float* pose, const float* inv_bind, float* palette)
{
    int r = threadIdx.y, c = threadIdx.x, j = blockIdx.x;
    const float* A = pose + j * 12;
    const float* B = inv_bind + j * 12;
    float s = c == 3 ? A[r * 4 + 3] : 0.f;
    for (int k = 0; k < 3; ++k)
        s += A[r * 4 + k] * B[k * 4 + c];
    palette[j * 12 + r * 4 + c] = s;
}

int main()
{
    float3 *rest, *posed; int4* joint; float4* weight; float *pose, *inv, *pal;
    cudaMallocManaged(&rest, kVerts * sizeof(float3));
    cudaMallocManaged(&posed, kVerts * sizeof(float3));
    cudaMallocManaged(&joint, kVerts * sizeof(int4));
    cudaMallocManaged(&weight, kVerts * sizeof(float4));
    cudaMallocManaged(&pose, kJoints * 12 * sizeof(float));
    cudaMallocManaged(&inv, kJoints * 12 * sizeof(float));
    cudaMallocManaged(&pal, kJoints * 12 * sizeof(float));
    for (int i = 0; i < kVerts; ++i) {
        rest[i] = make_float3(i % 101 * 0.01f, i % 57 * 0.02f, i % 33 * 0.05f);
        joint[i] = make_int4(rand() % kJoints, rand() % kJoints, rand() % kJoints, rand() % kJoints);
        weight[i] = make_float4(0.4f, 0.3f, 0.2f, 0.1f);
    }
    for (int i = 0; i < kJoints * 12; ++i) { pose[i] = (i % 5 == 0) ? 1.f : 0.01f * (i % 7); inv[i] = (i % 5 == 0) ? 1.f : -0.02f * (i % 3); }
    build_palette<<<kJoints, dim3(4, 3)>>>(pose, inv, pal);
    skin_points<<<(kVerts + 191) / 192, 192>>>(rest, joint, weight, (const Mat34*)pal, posed, kVerts);
    cudaDeviceSynchronize();
    printf("%f %f %f\n", posed[5].x, posed[5].y, posed[5].z);
    return 0;
}
