// Moving laser over a thin plate, explicit conduction
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define NX 768
#define NY 512
#define AT(f, x, y) f[(y) * NX + (x)]

struct Plate { float k, dt, power, loss, ambient; };

__global__ void heat_step(const float *T, const float *gx, const float *gy, float *Tn, Plate p)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= NX - 1 || y >= NY - 1) return;
    float c = AT(T, x, y);
    float lap = AT(T, x - 1, y) + AT(T, x + 1, y) + AT(T, x, y - 1) + AT(T, x, y + 1) - 4.f * c;
    float q = p.power * gx[x] * gy[y];
    float out = p.loss * (c - p.ambient);
    AT(Tn, x, y) = c + p.dt * (p.k * lap + q - out);
}

__global__ void melt_mass(const float *T, int n, float solidus, float liquidus, float *mass)
{
    const float inv = 1.f / (liquidus - solidus);
    float s = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += fminf(fmaxf((T[i] - solidus) * inv, 0.f), 1.f);
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(mass, s);
}

int main()
{
    std::vector<float> h(NX * NY, 300.f), gx(NX), gy(NY);
    for (int i = 0; i < NX * NY; i++) h[i] += (i % 97) * 14.f;
    for (int i = 0; i < NX; i++) gx[i] = expf(-1e-3f * (i - 300) * (i - 300));
    for (int i = 0; i < NY; i++) gy[i] = expf(-1e-3f * (i - 250) * (i - 250));
    float *a, *b, *x, *y, *m;
    cudaMalloc(&a, NX * NY * sizeof(float));
    cudaMalloc(&b, NX * NY * sizeof(float));
    cudaMalloc(&x, NX * sizeof(float));
    cudaMalloc(&y, NY * sizeof(float));
    cudaMalloc(&m, sizeof(float));
    cudaMemcpy(a, h.data(), NX * NY * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, a, NX * NY * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpy(x, gx.data(), NX * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, gy.data(), NY * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(m, 0, sizeof(float));
    Plate p = {0.2f, 0.9f, 60.f, 0.002f, 300.f};
    dim3 block(32, 8), grid((NX + 31) / 32, (NY + 7) / 8);
    for (int t = 0; t < 20; t++) {
        heat_step<<<grid, block>>>(a, x, y, b, p);
        float *s = a; a = b; b = s;
    }
    melt_mass<<<96, 256>>>(a, NX * NY, 1673.f, 1723.f, m);
    float r;
    cudaMemcpy(&r, m, sizeof r, cudaMemcpyDeviceToHost);
    printf("molten cells %g\n", r);
}
