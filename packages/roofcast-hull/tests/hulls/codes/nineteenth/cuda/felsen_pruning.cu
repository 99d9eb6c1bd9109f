#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// conditional likelihoods of A, C, G, T of a site are one float4
#define SITES 250000
struct Rows { float4 a, c, g, t; };
__constant__ Rows PL, PR;

__device__ float dot4(float4 p, float4 q) { return p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w; }

__global__ void prune_node(const float4 *left, const float4 *right, float4 *parent, float *logscale)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < SITES) {
        float4 l = left[s], r = right[s], v;
        v.x = dot4(PL.a, l) * dot4(PR.a, r);
        v.y = dot4(PL.c, l) * dot4(PR.c, r);
        v.z = dot4(PL.g, l) * dot4(PR.g, r);
        v.w = dot4(PL.t, l) * dot4(PR.t, r);
        float m = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
        v.x /= m; v.y /= m; v.z /= m; v.w /= m;
        parent[s] = v;
        logscale[s] += logf(m);
    }
}

__global__ void root_loglik(const float4 *root, const float *logscale, const float *weight, float4 pi, double *total)
{
    double mine = 0.0;
    for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < SITES; s += gridDim.x * blockDim.x)
        mine += weight[s] * (logf(dot4(pi, root[s])) + logscale[s]);
    __shared__ double sh[128];
    sh[threadIdx.x] = mine;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (threadIdx.x < k) sh[threadIdx.x] += sh[threadIdx.x + k];
        __syncthreads();
    }
    if (!threadIdx.x) atomicAdd(total, sh[0]);
}

int main()
{
    std::vector<float4> tip(SITES), tip2(SITES);
    std::vector<float> w(SITES);
    for (int i = 0; i < SITES; i++) {
        int b = (i * 2654435761u) >> 30, c = i % 7 ? b : (b + 1) & 3;
        tip[i] = make_float4(b == 0, b == 1, b == 2, b == 3);
        tip2[i] = make_float4(c == 0, c == 1, c == 2, c == 3);
        w[i] = 1 + i % 3;
    }
    Rows P = {{.85f, .05f, .05f, .05f}, {.05f, .85f, .05f, .05f}, {.05f, .05f, .85f, .05f}, {.05f, .05f, .05f, .85f}};
    cudaMemcpyToSymbol(PL, &P, sizeof P);
    cudaMemcpyToSymbol(PR, &P, sizeof P);
    float4 *l, *r, *p;
    float *sc, *dw;
    double *tot, ans;
    cudaMalloc(&l, SITES * sizeof(float4));
    cudaMalloc(&r, SITES * sizeof(float4));
    cudaMalloc(&p, SITES * sizeof(float4));
    cudaMalloc(&sc, SITES * sizeof(float));
    cudaMalloc(&dw, SITES * sizeof(float));
    cudaMalloc(&tot, sizeof(double));
    cudaMemset(sc, 0, SITES * sizeof(float));
    cudaMemset(tot, 0, sizeof(double));
    cudaMemcpy(l, tip.data(), SITES * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(r, tip2.data(), SITES * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(dw, w.data(), SITES * sizeof(float), cudaMemcpyHostToDevice);
    prune_node<<<(SITES + 255) / 256, 256>>>(l, r, p, sc);
    root_loglik<<<132, 128>>>(p, sc, dw, make_float4(.25f, .25f, .25f, .25f), tot);
    cudaMemcpy(&ans, tot, sizeof ans, cudaMemcpyDeviceToHost);
    printf("log L = %f\n", ans);
}
