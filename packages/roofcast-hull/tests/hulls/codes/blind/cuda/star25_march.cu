#include <cuda_runtime.h>

#define RAD 4
#define BX 32
#define BY 16

__constant__ float cf[RAD + 1];

__global__ void star25(float *out, const float *in, int nx, int ny, int nz)
{
    __shared__ float s[BY + 2 * RAD][BX + 2 * RAD];
    const int plane = nx * ny;
    const int x = blockIdx.x * BX + threadIdx.x + RAD;
    const int y = blockIdx.y * BY + threadIdx.y + RAD;
    const int tx = threadIdx.x + RAD, ty = threadIdx.y + RAD;
    float behind[RAD], ahead[RAD], cur;
    int idx = y * nx + x;
    for (int k = 0; k < RAD; k++) behind[RAD - 1 - k] = in[idx + k * plane];
    idx += RAD * plane;
    cur = in[idx];
    for (int k = 0; k < RAD; k++) ahead[k] = in[idx + (k + 1) * plane];

    for (int z = RAD; z < nz - RAD; z++) {
        __syncthreads();
        if (threadIdx.y < RAD) {
            s[threadIdx.y][tx] = in[idx - RAD * nx];
            s[threadIdx.y + BY + RAD][tx] = in[idx + BY * nx];
        }
        if (threadIdx.x < RAD) {
            s[ty][threadIdx.x] = in[idx - RAD];
            s[ty][threadIdx.x + BX + RAD] = in[idx + BX];
        }
        s[ty][tx] = cur;
        __syncthreads();
        float v = cf[0] * cur;
#pragma unroll
        for (int k = 1; k <= RAD; k++)
            v += cf[k] * (ahead[k - 1] + behind[k - 1] + s[ty - k][tx] + s[ty + k][tx] + s[ty][tx - k] + s[ty][tx + k]);
        out[idx] = v;
        for (int k = RAD - 1; k > 0; k--) behind[k] = behind[k - 1];
        behind[0] = cur;
        cur = ahead[0];
        for (int k = 0; k < RAD - 1; k++) ahead[k] = ahead[k + 1];
        idx += plane;
        if (z + RAD + 1 < nz) ahead[RAD - 1] = in[idx + RAD * plane];
    }
}

int main()
{
    const int nx = 512 + 2 * RAD, ny = 256 + 2 * RAD, nz = 128 + 2 * RAD;
    float *a, *b;
    cudaMalloc(&a, sizeof(float) * nx * ny * nz);
    cudaMalloc(&b, sizeof(float) * nx * ny * nz);
    dim3 block(BX, BY), grid(512 / BX, 256 / BY);
    star25<<<grid, block>>>(b, a, nx, ny, nz);
    cudaDeviceSynchronize();
}
