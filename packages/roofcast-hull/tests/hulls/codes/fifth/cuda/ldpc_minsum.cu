#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>

/* Check nodes of a decoder for low-density parity checks, normalised min-sum. Messages of edge e of all checks lie
 * together; every check has DEG edges. */

constexpr float SCALE = 0.75f;

template <int DEG>
__global__ void check_nodes(const float* __restrict__ to_check, float* __restrict__ to_variable, int checks)
{
    const int c = blockDim.x * blockIdx.x + threadIdx.x;
    if (c >= checks) return;

    float msg[DEG];
    float min1 = 1e30f, min2 = 1e30f;
    bool odd = false;
#pragma unroll
    for (int e = 0; e < DEG; ++e) {
        msg[e] = to_check[e * checks + c];
        const float a = fabsf(msg[e]);
        min2 = fminf(min2, fmaxf(min1, a));
        min1 = fminf(min1, a);
        odd ^= msg[e] < 0.0f;
    }
#pragma unroll
    for (int e = 0; e < DEG; ++e) {
        const float least = fabsf(msg[e]) == min1 ? min2 : min1;
        const bool negative = odd ^ (msg[e] < 0.0f);
        to_variable[e * checks + c] = negative ? -SCALE * least : SCALE * least;
    }
}

static void host_check(const float* in, float* out, int checks, int deg, int c)
{
    for (int e = 0; e < deg; ++e) {
        float least = 1e30f, sign = 1;
        for (int o = 0; o < deg; ++o)
            if (o != e) {
                least = fminf(least, fabsf(in[o * checks + c]));
                if (in[o * checks + c] < 0) sign = -sign;
            }
        out[e] = SCALE * sign * least;
    }
}

int main(int argc, char** argv)
{
    const int DEGREE = 6;
    int checks = 200000;
    for (int i = 1; i < argc; ++i)
        if (!strcmp(argv[i], "--checks") && i + 1 < argc) checks = atoi(argv[++i]);

    const size_t bytes = sizeof(float) * DEGREE * checks;
    float* in = (float*)malloc(bytes);
    float* out = (float*)malloc(bytes);
    for (int i = 0; i < DEGREE * checks; ++i) in[i] = 8.0f * rand() / RAND_MAX - 4.0f;

    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    const int threads = 128;
    check_nodes<DEGREE><<<(checks + threads - 1) / threads, threads>>>(d_in, d_out, checks);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int c = 0; c < checks; c += 997) {
        float want[DEGREE];
        host_check(in, want, checks, DEGREE, c);
        for (int e = 0; e < DEGREE; ++e) wrong += fabsf(want[e] - out[e * checks + c]) > 1e-6f;
    }
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    cudaFree(d_in);
    cudaFree(d_out);
    free(in);
    free(out);
    return wrong;
}
