// Several residual streams of one token: read by learned weights into the layer, write back mixed (bf16 in pairs)
#include <cstdio>
#include <cuda_bf16.h>

template <int STREAMS>
struct MixWeights { float mix[STREAMS][STREAMS]; float write[STREAMS]; };

constexpr int TOK = 2048, PAIRS = 1024, S = 4;
using bf2 = __nv_bfloat162;

template <int N>
__global__ void read_streams(const bf2 *__restrict__ streams, const float *__restrict__ alpha, bf2 *__restrict__ layer_in)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    const int t = blockIdx.y;
    float2 acc{0.f, 0.f};
#pragma unroll
    for (int s = 0; s < N; ++s) {
        const float2 v = __bfloat1622float2(streams[((size_t)t * N + s) * PAIRS + p]);
        const float a = alpha[t * N + s];
        acc.x += a * v.x;
        acc.y += a * v.y;
    }
    layer_in[(size_t)t * PAIRS + p] = __float22bfloat162_rn(acc);
}

template <int N>
__global__ void write_streams(bf2 *__restrict__ streams, const bf2 *__restrict__ layer_out, const MixWeights<N> w)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    const int t = blockIdx.y;
    const float2 y = __bfloat1622float2(layer_out[(size_t)t * PAIRS + p]);
    float2 x[N];
#pragma unroll
    for (int s = 0; s < N; ++s) x[s] = __bfloat1622float2(streams[((size_t)t * N + s) * PAIRS + p]);
#pragma unroll
    for (int o = 0; o < N; ++o) {
        float2 r{w.write[o] * y.x, w.write[o] * y.y};
#pragma unroll
        for (int s = 0; s < N; ++s) {
            r.x += w.mix[o][s] * x[s].x;
            r.y += w.mix[o][s] * x[s].y;
        }
        streams[((size_t)t * N + o) * PAIRS + p] = __float22bfloat162_rn(r);
    }
}

int main()
{
    bf2 *streams, *in; float *alpha;
    cudaMallocManaged(&streams, sizeof(bf2) * TOK * S * PAIRS);
    cudaMallocManaged(&in, sizeof(bf2) * TOK * PAIRS);
    cudaMallocManaged(&alpha, sizeof(float) * TOK * S);
    for (int i = 0; i < TOK * S * PAIRS; i++) streams[i] = __floats2bfloat162_rn(0.01f * (i % 99), -0.02f * (i % 77));
    for (int i = 0; i < TOK * S; i++) alpha[i] = 0.25f + 0.01f * (i % 4);
    MixWeights<S> w;
    for (int o = 0; o < S; o++) { w.write[o] = 0.5f; for (int s = 0; s < S; s++) w.mix[o][s] = o == s ? 0.9f : 0.03f; }
    const dim3 grid(PAIRS / 256, TOK);
    read_streams<S><<<grid, 256>>>(streams, alpha, in);
    write_streams<S><<<grid, 256>>>(streams, in, w);
    cudaDeviceSynchronize();
    printf("%f\n", __bfloat162float(streams[10].x));
}
