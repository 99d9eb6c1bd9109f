// gradient of out = u * gelu_tanh(g) where u and g lie side by side in one row; column sums for the bias
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdio>
#include <cstdlib>

constexpr int TOK = 4096;
constexpr int HID = 1536;
using bf16 = __nv_bfloat16;

template <typename T> __device__ float ld(const T *p) { return (float)*p; }

__device__ void gelu_grad(float x, float &y, float &dy)
{
    const float k0 = 0.7978845608f, k1 = 0.044715f;
    float x2 = x * x;
    float th = tanhf(k0 * (x + k1 * x2 * x));
    y = 0.5f * x * (1.f + th);
    dy = 0.5f * (1.f + th) + 0.5f * x * (1.f - th * th) * k0 * (1.f + 3.f * k1 * x2);
}

template <typename T>
__global__ void geglu_backward(const T *in, const T *grad_out, T *grad_in)
{
    const int h = blockIdx.x * blockDim.x + threadIdx.x;
    const int t = blockIdx.y;
    const float u = ld(in + (size_t)t * 2 * HID + h);
    const float g = ld(in + (size_t)t * 2 * HID + HID + h);
    const float go = ld(grad_out + (size_t)t * HID + h);
    float y, dy;
    gelu_grad(g, y, dy);
    grad_in[(size_t)t * 2 * HID + h] = (T)(go * y);
    grad_in[(size_t)t * 2 * HID + HID + h] = (T)(go * u * dy);
}

__global__ void bias_sums(const bf16 *grad, float *db)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int t0 = blockIdx.y * 128;
    float s = 0.f;
    for (int t = t0; t < t0 + 128; ++t) s += __bfloat162float(grad[(size_t)t * 2 * HID + c]);
    atomicAdd(db + c, s);
}

int main()
{
    bf16 *in, *go, *gi; float *db;
    cudaMallocManaged(&in, (size_t)TOK * 2 * HID * sizeof(bf16));
    cudaMallocManaged(&go, (size_t)TOK * HID * sizeof(bf16));
    cudaMallocManaged(&gi, (size_t)TOK * 2 * HID * sizeof(bf16));
    cudaMallocManaged(&db, 2 * HID * sizeof(float));
    for (size_t i = 0; i < (size_t)TOK * 2 * HID; ++i) in[i] = __float2bfloat16((rand() % 2001) * 0.002f - 2.f);
    for (size_t i = 0; i < (size_t)TOK * HID; ++i) go[i] = __float2bfloat16((rand() % 201) * 0.01f - 1.f);
    for (int i = 0; i < 2 * HID; ++i) db[i] = 0.f;
    geglu_backward<bf16><<<dim3(HID / 256, TOK), 256>>>(in, go, gi);
    bias_sums<<<dim3(2 * HID / 256, TOK / 128), 256>>>(gi, db);
    cudaDeviceSynchronize();
    printf("%f\n", db[3]);
    return 0;
}
