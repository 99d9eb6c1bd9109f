#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace act {
struct Mish {
    __device__ float operator()(float x) const { return x * tanhf(log1pf(expf(x))); }
};

template <class F>
__global__ void unary(const __nv_bfloat16 *in, __nv_bfloat16 *out, int n, F f)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        out[i] = __float2bfloat16(f(__bfloat162float(in[i])));
}
}  // namespace act

int main()
{
    constexpr int n = 5000000;
    __nv_bfloat16 *in = nullptr, *out = nullptr;
    cudaMalloc(&in, n * sizeof(*in));
    cudaMalloc(&out, n * sizeof(*out));
    act::unary<<<dim3(432), dim3(1024)>>>(in, out, n, act::Mish());
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return 0;
}
