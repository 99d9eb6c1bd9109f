// Fuzzy c-means (m = 2) of points in four dimensions: memberships in nine clusters.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int C>
__global__ void memberships(const float4 *pts, const float4 *centre, float *u, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pts[i];
    float inv[C], total = 0.f;
#pragma unroll
    for (int c = 0; c < C; ++c) {
        float4 q = centre[c];
        float a = p.x - q.x, b = p.y - q.y, d = p.z - q.z, e = p.w - q.w;
        inv[c] = 1.f / (a * a + b * b + d * d + e * e);
        total += inv[c];
    }
#pragma unroll
    for (int c = 0; c < C; ++c) u[i * C + c] = inv[c] / total;
}

int main() {
    const int n = 400000, c = 9;
    std::vector<float4> p(n), q(c);
    for (int i = 0; i < n; ++i) p[i] = make_float4(i % 101, i % 211, i % 307, i % 401);
    for (int i = 0; i < c; ++i) q[i] = make_float4(i * 11.5f, i * 23.5f, i * 34.5f, i * 44.5f);
    float4 *dp, *dq; float *du;
    cudaMalloc(&dp, n * sizeof(float4));
    cudaMalloc(&dq, c * sizeof(float4));
    cudaMalloc(&du, n * c * sizeof(float));
    cudaMemcpy(dp, p.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(dq, q.data(), c * sizeof(float4), cudaMemcpyHostToDevice);
    memberships<c><<<(n + 127) / 128, 128>>>(dp, dq, du, n);
    printf("%d\n", (int)cudaDeviceSynchronize());
}
