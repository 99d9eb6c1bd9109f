// Nearest hit of 512 Ki rays with 40 discs (surfels).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Disc { float cx, cy, cz, nx, ny, nz, radius2, pad; };

constexpr int RAYS = 1 << 19;
constexpr int DISCS = 40;

__global__ void nearest_disc(const float4 *origin, const float4 *dir, const Disc *disc, float *depth) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 o = origin[r], d = dir[r];
    float best = 1e30f;
    for (int k = 0; k < DISCS; ++k) {
        const Disc s = disc[k];
        const float x = s.cx - o.x, y = s.cy - o.y, z = s.cz - o.z;
        const float t = (x * s.nx + y * s.ny + z * s.nz) / (d.x * s.nx + d.y * s.ny + d.z * s.nz);
        const float px = t * d.x - x, py = t * d.y - y, pz = t * d.z - z;
        const float rr = px * px + py * py + pz * pz;
        best = (t > 1e-4f && t < best && rr < s.radius2) ? t : best;
    }
    depth[r] = best;
}

int main() {
    std::vector<float4> o(RAYS), d(RAYS);
    std::vector<Disc> s(DISCS);
    for (int i = 0; i < RAYS; ++i) {
        o[i] = make_float4(0.f, 0.f, -5.f, 0.f);
        d[i] = make_float4((i % 1024 - 512) / 1024.f, (i / 1024 - 256) / 1024.f, 1.f, 0.f);
    }
    for (int k = 0; k < DISCS; ++k) s[k] = {(k % 8 - 4) * .5f, (k / 8 - 2) * .5f, 1.f + k * .1f, 0.f, .6f, .8f, .09f, 0.f};
    float4 *po, *pd; Disc *ps; float *z;
    cudaMalloc(&po, RAYS * sizeof(float4));
    cudaMalloc(&pd, RAYS * sizeof(float4));
    cudaMalloc(&ps, DISCS * sizeof(Disc));
    cudaMalloc(&z, RAYS * sizeof(float));
    cudaMemcpy(po, o.data(), RAYS * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(pd, d.data(), RAYS * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(ps, s.data(), DISCS * sizeof(Disc), cudaMemcpyHostToDevice);
    nearest_disc<<<RAYS / 128, 128>>>(po, pd, ps, z);
    float h;
    cudaMemcpy(&h, z + RAYS / 2, 4, cudaMemcpyDeviceToHost);
    printf("%f\n", h);
}
