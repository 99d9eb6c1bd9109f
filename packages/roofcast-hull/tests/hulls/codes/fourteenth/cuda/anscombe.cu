// Variance stabilisation for photon-counting cameras (Anscombe and its algebraic inverse).
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cuda_runtime.h>

#define W 2048
#define H 2048
#define PIXELS (W * H)

__global__ void stabilise4(const ushort4 *raw, float4 *vst, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    ushort4 r = raw[i];
    float4 o;
    o.x = 2.0f * sqrtf((float)r.x + 0.375f);
    o.y = 2.0f * sqrtf((float)r.y + 0.375f);
    o.z = 2.0f * sqrtf((float)r.z + 0.375f);
    o.w = 2.0f * sqrtf((float)r.w + 0.375f);
    vst[i] = o;
}

__device__ inline float back(float d)
{
    return fmaxf(0.25f * d * d - 0.375f, 0.0f);
}

__global__ void unstabilise(float *img)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 8 + threadIdx.y;
    img[y * W + x] = back(img[y * W + x]);
}

int main(void)
{
    uint16_t *h = (uint16_t *)malloc(PIXELS * sizeof(uint16_t));
    for (int i = 0; i < PIXELS; i++) h[i] = (uint16_t)(rand() % 900);
    uint16_t *raw;
    float *vst;
    cudaMalloc((void **)&raw, PIXELS * sizeof(uint16_t));
    cudaMalloc((void **)&vst, PIXELS * sizeof(float));
    cudaMemcpy(raw, h, PIXELS * sizeof(uint16_t), cudaMemcpyHostToDevice);
    stabilise4<<<PIXELS / 4 / 256, 256>>>((const ushort4 *)raw, (float4 *)vst, PIXELS / 4);
    dim3 block(32, 8), grid(W / 32, H / 8);
    unstabilise<<<grid, block>>>(vst);
    float v;
    cudaMemcpy(&v, vst, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%d -> %f\n", h[0], v);
    cudaFree(raw); cudaFree(vst); free(h);
    return 0;
}
