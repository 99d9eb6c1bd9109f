// Two 4-bit weights in a byte to halves; a scale for each 64 weights.
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void unpack_int4(const uint8_t *packed, const half *scales, half *out, int nbytes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nbytes) return;
    float s = __half2float(scales[i / 32]);
    int v = packed[i];
    int lo = (v & 15) - 8;
    int hi = (v >> 4) - 8;
    out[2 * i] = __float2half(lo * s);
    out[2 * i + 1] = __float2half(hi * s);
}

int main()
{
    const int nbytes = 1 << 21;
    uint8_t *packed;
    half *scales, *out;
    cudaMalloc(&packed, nbytes);
    cudaMalloc(&scales, nbytes / 32 * sizeof(half));
    cudaMalloc(&out, 2 * nbytes * sizeof(half));
    unpack_int4<<<nbytes / 256, 256>>>(packed, scales, out, nbytes);
    cudaDeviceSynchronize();
    return 0;
}
