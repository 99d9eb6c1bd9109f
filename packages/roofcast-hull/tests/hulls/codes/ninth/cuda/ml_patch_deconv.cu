// Transposed 1-D convolution with stride equal to the kernel size (non-overlapping), as
// vocoders and U-Nets use it to lengthen a signal: each output sample belongs to one input
// position and one tap.  out[co][l*S + s] = bias[co] + sum_ci w[ci][s][co] * x[ci][l]
// Counts: loops counted in Python.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, int line) {
    if (e != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
        exit(1);
    }
}
#define CHECK(e) check((e), __LINE__)

constexpr int C_IN   = 256;
constexpr int C_OUT  = 128;
constexpr int LENGTH = 8192;
constexpr int STRIDE = 4;

template <int CIN, int STR>
__global__ void deconv_nonoverlap(const float * __restrict__ x,     // [CIN][length]
                                  const float * __restrict__ w,     // [CIN][STR][c_out]
                                  const float * __restrict__ bias,  // [c_out]
                                  float * __restrict__ out,         // [c_out][length * STR]
                                  int length, int c_out) {
    const int t  = blockIdx.x * blockDim.x + threadIdx.x;
    const int co = blockIdx.y;
    if (t >= length * STR) return;
    const int l = t / STR;
    const int s = t % STR;

    float acc = bias[co];
#pragma unroll 8
    for (int ci = 0; ci < CIN; ++ci) {
        acc += w[(ci * STR + s) * c_out + co] * x[ci * length + l];
    }
    out[(size_t) co * length * STR + t] = acc;
}

int main() {
    const size_t nx = (size_t) C_IN * LENGTH;
    const size_t nw = (size_t) C_IN * STRIDE * C_OUT;
    const size_t no = (size_t) C_OUT * LENGTH * STRIDE;
    std::vector<float> hx(nx), hw(nw), hb(C_OUT), ho(no);
    for (size_t i = 0; i < nx; ++i) hx[i] = sinf(0.001f * (float) i);
    for (size_t i = 0; i < nw; ++i) hw[i] = cosf(0.37f * (float) i) / 16.0f;
    for (int i = 0; i < C_OUT; ++i) hb[i] = 0.01f * i;

    float *x, *w, *b, *o;
    CHECK(cudaMalloc(&x, nx * sizeof(float)));
    CHECK(cudaMalloc(&w, nw * sizeof(float)));
    CHECK(cudaMalloc(&b, C_OUT * sizeof(float)));
    CHECK(cudaMalloc(&o, no * sizeof(float)));
    CHECK(cudaMemcpy(x, hx.data(), nx * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(w, hw.data(), nw * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, hb.data(), C_OUT * sizeof(float), cudaMemcpyHostToDevice));

    const dim3 block(256);
    const dim3 grid((LENGTH * STRIDE + block.x - 1) / block.x, C_OUT);
    deconv_nonoverlap<C_IN, STRIDE><<<grid, block>>>(x, w, b, o, LENGTH, C_OUT);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(ho.data(), o, no * sizeof(float), cudaMemcpyDeviceToHost));

    double worst = 0.0;
    for (int co = 0; co < C_OUT; co += 37) {
        for (int t = 0; t < LENGTH * STRIDE; t += 1013) {
            double ref = hb[co];
            for (int ci = 0; ci < C_IN; ++ci)
                ref += (double) hw[((size_t) ci * STRIDE + t % STRIDE) * C_OUT + co] * hx[(size_t) ci * LENGTH + t / STRIDE];
            worst = fmax(worst, fabs(ref - ho[(size_t) co * LENGTH * STRIDE + t]));
        }
    }
    printf("max error %g\n", worst);
    CHECK(cudaFree(x)); CHECK(cudaFree(w)); CHECK(cudaFree(b)); CHECK(cudaFree(o));
    return 0;
}
