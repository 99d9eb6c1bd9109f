#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

#define DZ 96
#define DY 160
#define DX 128
#define BALLS 12
__constant__ float4 ball[BALLS];

__global__ void csg_distance(float *sdf, float3 origin, float step, float cut)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x >= DX || y >= DY) return;
    float px = origin.x + x * step, py = origin.y + y * step, pz = origin.z + z * step;
    float d = 1e9f;
    for (int b = 0; b < BALLS; b++) {
        float4 s = ball[b];
        float ex = px - s.x, ey = py - s.y, ez = pz - s.z;
        d = fminf(d, sqrtf(ex * ex + ey * ey + ez * ez) - s.w);
    }
    sdf[(z * DY + y) * DX + x] = fmaxf(d, py - cut);
}

// voxels inside of the solid, slice by slice
__global__ void slice_counts(const float *sdf, int *count)
{
    __shared__ int part[256];
    const float *slice = sdf + (size_t)blockIdx.x * DY * DX;
    int n = 0;
    for (int i = threadIdx.x; i < DY * DX; i += blockDim.x)
        if (slice[i] < 0.f) n++;
    part[threadIdx.x] = n;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) count[blockIdx.x] = part[0];
}

int main()
{
    float4 h[BALLS];
    for (int i = 0; i < BALLS; i++) h[i] = make_float4(cosf(i) * 2, sinf(i * 2) * 2, cosf(3 * i), 0.8f + 0.05f * i);
    cudaMemcpyToSymbol(ball, h, sizeof h);
    float *sdf;
    int *count;
    cudaMallocManaged(&sdf, sizeof(float) * DX * DY * DZ);
    cudaMallocManaged(&count, sizeof(int) * DZ);
    dim3 block(32, 8, 1), grid(DX / 32, DY / 8, DZ);
    csg_distance<<<grid, block>>>(sdf, make_float3(-4, -5, -3), 0.0625f, 1.5f);
    slice_counts<<<DZ, 256>>>(sdf, count);
    cudaDeviceSynchronize();
    long v = 0;
    for (int z = 0; z < DZ; z++) v += count[z];
    printf("volume %ld voxels\n", v);
    return 0;
}
