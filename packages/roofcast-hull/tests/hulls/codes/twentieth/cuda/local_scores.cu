// local attention of a byte model: every query looks at the W keys up to itself
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define HEADS 8
#define SEQ 4096
#define HD 32
#define W 64

__global__ void band_scores(const float *q, const float *k, float *s, float scale)
{
    int w = threadIdx.x;             // 0 .. W-1, the last is the query's own place
    int t = blockIdx.x + W - 1;
    int h = blockIdx.y;
    const float *qr = q + (h * SEQ + t) * HD;
    const float *kr = k + (h * SEQ + t - (W - 1) + w) * HD;
    float acc = 0.f;
    for (int d = 0; d < HD; d++) acc += qr[d] * kr[d];
    s[(h * (SEQ - W + 1) + blockIdx.x) * W + w] = acc * scale;
}

__global__ void band_softmax(float *s, int rows)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float *p = s + (size_t)row * W;
    float a = p[threadIdx.x], b = p[threadIdx.x + 32];
    float m = fmaxf(a, b);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    a = __expf(a - m);
    b = __expf(b - m);
    float z = a + b;
    for (int o = 16; o; o >>= 1) z += __shfl_xor_sync(~0u, z, o);
    p[threadIdx.x] = a / z;
    p[threadIdx.x + 32] = b / z;
}

int main()
{
    const size_t n = (size_t)HEADS * SEQ * HD;
    const int rows = HEADS * (SEQ - W + 1);
    std::vector<float> hq(n), hk(n);
    for (size_t i = 0; i < n; i++) { hq[i] = ((i * 17) % 101) * 0.02f - 1.f; hk[i] = ((i * 29) % 97) * 0.02f - 1.f; }
    float *q, *k, *s;
    cudaMalloc(&q, n * sizeof(float)); cudaMalloc(&k, n * sizeof(float));
    cudaMalloc(&s, (size_t)rows * W * sizeof(float));
    cudaMemcpy(q, hq.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(k, hk.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    band_scores<<<dim3(SEQ - W + 1, HEADS), W>>>(q, k, s, 0.17677669f);
    band_softmax<<<(rows + 3) / 4, dim3(32, 4)>>>(s, rows);
    float r;
    cudaMemcpy(&r, s + 99, sizeof r, cudaMemcpyDeviceToHost);
    printf("%f\n", r);
    return 0;
}
