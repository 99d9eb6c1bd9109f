// Centre of mass of a polymer's beads (w: mass) and its gyration tensor: two reductions of several sums.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

const int BEADS = 1000000;

template <int BS>
__device__ void block_add(float v, float *dst)
{
    __shared__ float s[BS];
    __syncthreads();
    s[threadIdx.x] = v;
    __syncthreads();
    for (int h = BS / 2; h > 0; h >>= 1) {
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(dst, s[0]);
}

template <int BS>
__global__ void mass_centre(const float4 *bead, float *sums)
{
    float x = 0.f, y = 0.f, z = 0.f, m = 0.f;
    for (int i = blockIdx.x * BS + threadIdx.x; i < BEADS; i += BS * gridDim.x) {
        float4 b = bead[i];
        x += b.w * b.x;
        y += b.w * b.y;
        z += b.w * b.z;
        m += b.w;
    }
    block_add<BS>(x, sums);
    block_add<BS>(y, sums + 1);
    block_add<BS>(z, sums + 2);
    block_add<BS>(m, sums + 3);
}

template <int BS>
__global__ void gyration_tensor(const float4 *bead, float3 com, float *tensor)
{
    float xx = 0.f, yy = 0.f, zz = 0.f, xy = 0.f, xz = 0.f, yz = 0.f;
    for (int i = blockIdx.x * BS + threadIdx.x; i < BEADS; i += BS * gridDim.x) {
        float4 b = bead[i];
        float dx = b.x - com.x, dy = b.y - com.y, dz = b.z - com.z;
        float mx = b.w * dx, my = b.w * dy, mz = b.w * dz;
        xx += mx * dx;  yy += my * dy;  zz += mz * dz;
        xy += mx * dy;  xz += mx * dz;  yz += my * dz;
    }
    block_add<BS>(xx, tensor);
    block_add<BS>(yy, tensor + 1);
    block_add<BS>(zz, tensor + 2);
    block_add<BS>(xy, tensor + 3);
    block_add<BS>(xz, tensor + 4);
    block_add<BS>(yz, tensor + 5);
}

int main()
{
    std::vector<float4> h(BEADS);
    float x = 0, y = 0, z = 0;
    for (auto &b : h) {
        x += rand() / (float)RAND_MAX - .5f; y += rand() / (float)RAND_MAX - .5f; z += rand() / (float)RAND_MAX - .5f;
        b = make_float4(x, y, z, 1.f + rand() % 3);
    }
    float4 *bead; float *sums, *tensor, hs[4], ht[6];
    cudaMalloc(&bead, BEADS * sizeof(float4));
    cudaMalloc(&sums, 4 * sizeof(float));
    cudaMalloc(&tensor, 6 * sizeof(float));
    cudaMemcpy(bead, h.data(), BEADS * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemset(sums, 0, 4 * sizeof(float));
    cudaMemset(tensor, 0, 6 * sizeof(float));
    mass_centre<256><<<128, 256>>>(bead, sums);
    cudaMemcpy(hs, sums, sizeof hs, cudaMemcpyDeviceToHost);
    float3 com = make_float3(hs[0] / hs[3], hs[1] / hs[3], hs[2] / hs[3]);
    gyration_tensor<256><<<128, 256>>>(bead, com, tensor);
    cudaMemcpy(ht, tensor, sizeof ht, cudaMemcpyDeviceToHost);
    printf("Rg2 = %g\n", (ht[0] + ht[1] + ht[2]) / hs[3]);
}
