// Output characteristics of a transistor at several corners, its output conductance, and a diode in series with a resistor.
#include <cstdio>
#include <vector>

constexpr int CORNERS = 16, NG = 256, ND = 512;
struct Corner { float vt, k, lambda; };
enum class Region { off, triode, saturated };

__device__ Region region(float vov, float vds)
{
    if (vov <= 0.f) return Region::off;
    return vds < vov ? Region::triode : Region::saturated;
}

__global__ void drain_current(const Corner *corners, const float *vgs, const float *vds, float *id)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    int g = blockIdx.y, c = blockIdx.z;
    Corner m = corners[c];
    float vov = vgs[g] - m.vt, v = vds[d], i;
    switch (region(vov, v)) {
    case Region::off:       i = 0.f; break;
    case Region::triode:    i = m.k * (vov * v - 0.5f * v * v); break;
    case Region::saturated: i = 0.5f * m.k * vov * vov * (1.f + m.lambda * v); break;
    }
    id[(c * NG + g) * ND + d] = i;
}

__global__ void conductance(const float *id, float *gds, float inv2h)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (d > ND - 2) return;
    size_t at = ((size_t)blockIdx.z * NG + blockIdx.y) * ND + d;
    gds[at] = (id[at + 1] - id[at - 1]) * inv2h;
}

__global__ void diode_point(const float *supply, float *vd, int n, float is, float ut, float r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = 0.6f, dv = 1.f;
    while (fabsf(dv) > 1e-6f) {
        float e = is * expf(v / ut);
        dv = ((supply[i] - v) / r - e + is) / (1.f / r + e / ut);
        v += fminf(fmaxf(dv, -0.1f), 0.1f);
    }
    vd[i] = v;
}

int main()
{
    std::vector<Corner> c(CORNERS);
    std::vector<float> g(NG), d(ND), s(100000);
    for (int i = 0; i < CORNERS; i++) c[i] = {0.35f + 0.01f * i, 2e-4f, 0.05f};
    for (int i = 0; i < NG; i++) g[i] = 1.8f * i / NG;
    for (int i = 0; i < ND; i++) d[i] = 1.8f * i / ND;
    for (int i = 0; i < 100000; i++) s[i] = 1.0f + 4e-5f * i;
    Corner *dc; float *dg, *dd, *id, *gds, *ds, *dv;
    cudaMalloc(&dc, CORNERS * sizeof(Corner)); cudaMalloc(&dg, NG * sizeof(float)); cudaMalloc(&dd, ND * sizeof(float));
    cudaMalloc(&id, CORNERS * NG * ND * sizeof(float)); cudaMalloc(&gds, CORNERS * NG * ND * sizeof(float));
    cudaMalloc(&ds, 100000 * sizeof(float)); cudaMalloc(&dv, 100000 * sizeof(float));
    cudaMemcpy(dc, c.data(), CORNERS * sizeof(Corner), cudaMemcpyHostToDevice);
    cudaMemcpy(dg, g.data(), NG * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dd, d.data(), ND * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(ds, s.data(), 100000 * sizeof(float), cudaMemcpyHostToDevice);
    dim3 grid(ND / 128, NG, CORNERS);
    drain_current<<<grid, 128>>>(dc, dg, dd, id);
    conductance<<<grid, 128>>>(id, gds, ND / 3.6f);
    diode_point<<<(100000 + 127) / 128, 128>>>(ds, dv, 100000, 1e-14f, 0.02585f, 1000.f);
    float v;
    cudaMemcpy(&v, dv + 50000, sizeof v, cudaMemcpyDeviceToHost);
    printf("%f\n", v);
}
