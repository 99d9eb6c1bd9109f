// Point-to-plane ICP: squared residuals of a cloud under a pose, correspondences given.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Pose { float r[9]; float t[3]; };

constexpr int SRC = 1 << 20;
constexpr int DST = 1 << 16;

__global__ void plane_residual(const float4 *src, const int *match, const float4 *dst, const float4 *normal,
                               Pose pose, float *total) {
    __shared__ float part[256];
    float sum = 0.f;
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < SRC) {
        float4 p = src[i];
        int m = match[i];
        float4 q = dst[m], n = normal[m];
        float x = pose.r[0] * p.x + pose.r[1] * p.y + pose.r[2] * p.z + pose.t[0];
        float y = pose.r[3] * p.x + pose.r[4] * p.y + pose.r[5] * p.z + pose.t[1];
        float z = pose.r[6] * p.x + pose.r[7] * p.y + pose.r[8] * p.z + pose.t[2];
        float d = (x - q.x) * n.x + (y - q.y) * n.y + (z - q.z) * n.z;
        sum = d * d;
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 128; s; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, part[0]);
}

int main() {
    std::vector<float4> hs(SRC), hd(DST), hn(DST);
    std::vector<int> hm(SRC);
    for (int i = 0; i < SRC; ++i) {
        hs[i] = make_float4((i % 1024) * .01f, (i / 1024) * .01f, 0.f, 1.f);
        hm[i] = (int)((i * 40503ull) % DST);
    }
    for (int i = 0; i < DST; ++i) {
        hd[i] = make_float4((i % 256) * .04f, (i / 256) * .04f, .02f, 1.f);
        hn[i] = make_float4(0.f, .6f, .8f, 0.f);
    }
    float4 *s, *d, *n; int *m; float *total, h = 0.f;
    cudaMalloc(&s, SRC * sizeof(float4));
    cudaMalloc(&d, DST * sizeof(float4));
    cudaMalloc(&n, DST * sizeof(float4));
    cudaMalloc(&m, SRC * sizeof(int));
    cudaMalloc(&total, sizeof(float));
    cudaMemcpy(s, hs.data(), SRC * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(d, hd.data(), DST * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(n, hn.data(), DST * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(m, hm.data(), SRC * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(total, 0, sizeof(float));
    Pose pose = {{1, 0, 0, 0, .8f, -.6f, 0, .6f, .8f}, {.1f, .2f, .3f}};
    plane_residual<<<SRC / 256, 256>>>(s, m, d, n, pose, total);
    cudaMemcpy(&h, total, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h / SRC);
}
