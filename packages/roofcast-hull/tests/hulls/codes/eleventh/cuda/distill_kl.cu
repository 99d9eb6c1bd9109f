// Distillation: KL(teacher || student) of softened logits, a block for each row.
#include <cfloat>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Max { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct Add { __device__ float operator()(float a, float b) const { return a + b; } };

template <class Op>
__device__ float block_reduce(float v, float none, Op op)
{
    __shared__ float part[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int o = 16; o; o >>= 1) v = op(v, __shfl_xor_sync(~0u, v, o));
    if (lane == 0) part[warp] = v;
    __syncthreads();
    v = lane < (int)(blockDim.x >> 5) ? part[lane] : none;
    for (int o = 16; o; o >>= 1) v = op(v, __shfl_xor_sync(~0u, v, o));
    __syncthreads();
    return v;
}

__global__ void distill_rows(const float *teacher, const float *student, float *loss, int classes, float inv_t)
{
    const float *t = teacher + (size_t)blockIdx.x * classes;
    const float *s = student + (size_t)blockIdx.x * classes;
    float mt = -FLT_MAX, ms = -FLT_MAX;
    for (int c = threadIdx.x; c < classes; c += blockDim.x) {
        mt = fmaxf(mt, t[c]);
        ms = fmaxf(ms, s[c]);
    }
    mt = block_reduce(mt, -FLT_MAX, Max());
    ms = block_reduce(ms, -FLT_MAX, Max());

    float zt = 0, zs = 0;
    for (int c = threadIdx.x; c < classes; c += blockDim.x) {
        zt += expf((t[c] - mt) * inv_t);
        zs += expf((s[c] - ms) * inv_t);
    }
    const float lzt = logf(block_reduce(zt, 0.0f, Add()));
    const float lzs = logf(block_reduce(zs, 0.0f, Add()));

    float kl = 0;
    for (int c = threadIdx.x; c < classes; c += blockDim.x) {
        const float lt = (t[c] - mt) * inv_t - lzt;
        const float ls = (s[c] - ms) * inv_t - lzs;
        kl += expf(lt) * (lt - ls);
    }
    kl = block_reduce(kl, 0.0f, Add());
    if (threadIdx.x == 0) loss[blockIdx.x] = kl;
}

int main()
{
    const int rows = 2048, classes = 8192;
    std::vector<float> t((size_t)rows * classes), s(t.size()), l(rows);
    for (size_t i = 0; i < t.size(); i++) {
        t[i] = (i * 37 % 101) * 0.05f;
        s[i] = (i * 53 % 97) * 0.05f;
    }
    float *dt, *ds, *dl;
    cudaMalloc(&dt, t.size() * sizeof(float));
    cudaMalloc(&ds, s.size() * sizeof(float));
    cudaMalloc(&dl, rows * sizeof(float));
    cudaMemcpy(dt, t.data(), t.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(ds, s.data(), s.size() * sizeof(float), cudaMemcpyHostToDevice);
    distill_rows<<<rows, 256>>>(dt, ds, dl, classes, 0.5f);
    cudaMemcpy(l.data(), dl, rows * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", l[0]);
    return cudaGetLastError() != cudaSuccess;
}
