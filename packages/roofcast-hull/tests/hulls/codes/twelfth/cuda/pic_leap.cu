// One-dimensional electrostatic particle-in-cell: field gathered linearly, leapfrog, periodic box of 4096 cells.
// Beside it the velocity-space advection of a Vlasov solver (Lax-Wendroff).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define CELLS 4096
#define PARTICLES (1 << 21)
#define NX 512
#define NV 1024

__global__ void leap(float *x, float *v, const float *field, float qm_dt, float dt) {
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < PARTICLES; p += gridDim.x * blockDim.x) {
        float pos = x[p];
        int cell = (int)pos;
        float w = pos - (float)cell;
        int next = (cell + 1) & (CELLS - 1);
        float e = (1.f - w) * field[cell] + w * field[next];
        float vel = v[p] + qm_dt * e;
        pos += dt * vel;
        if (pos >= CELLS) pos -= CELLS;
        if (pos < 0.f) pos += CELLS;
        v[p] = vel;
        x[p] = pos;
    }
}

__global__ void advect_v(const double *__restrict__ f, const double *__restrict__ e, double *__restrict__ g, double dt_dv) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;   // velocity
    int i = blockIdx.y;                              // place
    if (j < 1 || j >= NV - 1) return;
    double c = e[i] * dt_dv;
    double lo = f[i * NV + j - 1], me = f[i * NV + j], hi = f[i * NV + j + 1];
    g[i * NV + j] = me - 0.5 * c * (hi - lo) + 0.5 * c * c * (hi - 2.0 * me + lo);
}

int main() {
    std::vector<float> hx(PARTICLES), hv(PARTICLES), he(CELLS);
    for (int p = 0; p < PARTICLES; ++p) {
        hx[p] = (p * 48271ull % 1000003) / 1000003.f * (CELLS - 1);
        hv[p] = (p % 201 - 100) * .01f;
    }
    for (int c = 0; c < CELLS; ++c) he[c] = .01f * (c % 64 - 32);
    float *x, *v, *e;
    cudaMalloc(&x, sizeof(float) * PARTICLES);
    cudaMalloc(&v, sizeof(float) * PARTICLES);
    cudaMalloc(&e, sizeof(float) * CELLS);
    cudaMemcpy(x, hx.data(), sizeof(float) * PARTICLES, cudaMemcpyHostToDevice);
    cudaMemcpy(v, hv.data(), sizeof(float) * PARTICLES, cudaMemcpyHostToDevice);
    cudaMemcpy(e, he.data(), sizeof(float) * CELLS, cudaMemcpyHostToDevice);
    leap<<<1024, 256>>>(x, v, e, -.05f, .1f);

    std::vector<double> hf(NX * NV, 0.25), hE(NX, 0.1);
    double *f, *g, *E;
    cudaMalloc(&f, sizeof(double) * NX * NV);
    cudaMalloc(&g, sizeof(double) * NX * NV);
    cudaMalloc(&E, sizeof(double) * NX);
    cudaMemcpy(f, hf.data(), sizeof(double) * NX * NV, cudaMemcpyHostToDevice);
    cudaMemcpy(E, hE.data(), sizeof(double) * NX, cudaMemcpyHostToDevice);
    advect_v<<<dim3(NV / 256, NX), 256>>>(f, E, g, .5);
    printf("%d\n", (int)cudaDeviceSynchronize());
}
