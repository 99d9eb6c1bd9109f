// Rotary position embedding, half precision, in place. Pairs lie side by side.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                         \
    do {                                                                                    \
        cudaError_t status_ = (call);                                                       \
        if (status_ != cudaSuccess) {                                                       \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                             \
        }                                                                                   \
    } while (0)

constexpr int TOKENS = 1024;
constexpr int HEADS = 8;
constexpr int PAIRS = 32;

__global__ void rope_half(__half2 *__restrict__ q, const float *__restrict__ cosines, const float *__restrict__ sines)
{
    const int token = blockIdx.x;
    for (int i = threadIdx.x; i < HEADS * PAIRS; i += blockDim.x) {
        const int pair = i % PAIRS;
        const float c = cosines[token * PAIRS + pair];
        const float s = sines[token * PAIRS + pair];
        const int at = token * HEADS * PAIRS + i;
        const float2 v = __half22float2(q[at]);
        q[at] = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c);
    }
}

int main()
{
    __half2 *q;
    float *c, *s;
    CHECK(cudaMalloc(&q, sizeof(__half2) * TOKENS * HEADS * PAIRS));
    CHECK(cudaMalloc(&c, sizeof(float) * TOKENS * PAIRS));
    CHECK(cudaMalloc(&s, sizeof(float) * TOKENS * PAIRS));
    rope_half<<<TOKENS, 128>>>(q, c, s);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(q));
    CHECK(cudaFree(c));
    CHECK(cudaFree(s));
    return 0;
}
