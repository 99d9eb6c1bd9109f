#include <cuda_runtime.h>

__device__ __forceinline__ signed char q8(float v, float scale)
{
    float r = rintf(v * scale);
    return (signed char)fminf(127.f, fmaxf(-128.f, r));
}

__global__ void quantise(const float4 *in, char4 *out, float scale, size_t n4)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 f = in[i];
        out[i] = make_char4(q8(f.x, scale), q8(f.y, scale), q8(f.z, scale), q8(f.w, scale));
    }
}

void launch(const float *in, signed char *out, float scale, size_t n)
{
    size_t n4 = n / 4;
    unsigned grid = (unsigned)((n4 + 255) / 256);
    quantise<<<grid, 256>>>((const float4 *)in, (char4 *)out, scale, n4);
}

int main()
{
    const size_t n = 4u << 20;
    float *in;
    signed char *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n);
    launch(in, out, 127.f / 6.f, n);
    cudaDeviceSynchronize();
}
