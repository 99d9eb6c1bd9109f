// Air-sea momentum and sensible heat fluxes on a quarter-degree grid, and the area-weighted mean.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define NX 1440
#define NY 720
#define CUDIV(a, b) (((a) + (b) - 1) / (b))
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s\n", cudaGetErrorString(e_)); exit(1); } } while (0)

struct AirProps { float rho; float cp; };

__global__ void bulk_fluxes(const float *u10, const float *v10, const float *tair, const float *tsea,
                            float *taux, float *tauy, float *sh, AirProps air)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= NX || j >= NY) return;
    const int id = j * NX + i;

    const float u = u10[id], v = v10[id];
    const float speed = fmaxf(sqrtf(u * u + v * v), 0.5f);
    const float cd = (0.61f + 0.063f * speed) * 1.0e-3f;
    const float k = air.rho * cd * speed;
    taux[id] = k * u;
    tauy[id] = k * v;
    sh[id] = air.cp * k * (tsea[id] - tair[id]);
}

__global__ void area_mean(const float *f, const float *coslat, float *total)
{
    float s = 0.f;
    for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < NX * NY; id += gridDim.x * blockDim.x)
        s += f[id] * coslat[id / NX];
    for (int o = 16; o > 0; o >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(total, s);
}

int main()
{
    const size_t n = (size_t)NX * NY, bytes = n * sizeof(float);
    float *h[4], *d[7], *hc = (float *)malloc(NY * sizeof(float)), *dc, *dt;
    for (int k = 0; k < 4; k++) {
        h[k] = (float *)malloc(bytes);
        for (size_t i = 0; i < n; i++)
            h[k][i] = k < 2 ? 20.f * (rand() / (float)RAND_MAX) - 10.f : 270.f + 30.f * (rand() / (float)RAND_MAX);
    }
    for (int j = 0; j < NY; j++) hc[j] = cosf((j + 0.5f) / NY * 3.14159265f - 1.57079633f);
    float *du, *dv, *dta, *dts, *dtx, *dty, *dsh;
    CHECK(cudaMalloc(&du, bytes)); CHECK(cudaMalloc(&dv, bytes));
    CHECK(cudaMalloc(&dta, bytes)); CHECK(cudaMalloc(&dts, bytes));
    CHECK(cudaMalloc(&dtx, bytes)); CHECK(cudaMalloc(&dty, bytes)); CHECK(cudaMalloc(&dsh, bytes));
    CHECK(cudaMalloc(&dc, NY * sizeof(float))); CHECK(cudaMalloc(&dt, sizeof(float)));
    d[0] = du; d[1] = dv; d[2] = dta; d[3] = dts;
    for (int k = 0; k < 4; k++) CHECK(cudaMemcpy(d[k], h[k], bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dc, hc, NY * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dt, 0, sizeof(float)));

    AirProps air = {1.22f, 1004.f};
    dim3 block(32, 8);
    dim3 grid(CUDIV(NX, block.x), CUDIV(NY, block.y));
    bulk_fluxes<<<grid, block>>>(du, dv, dta, dts, dtx, dty, dsh, air);
    area_mean<<<264, 256>>>(dsh, dc, dt);
    float t;
    CHECK(cudaMemcpy(&t, dt, sizeof t, cudaMemcpyDeviceToHost));
    printf("total %g\n", t);
    return 0;
}
