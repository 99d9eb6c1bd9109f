// The Brusselator on a periodic square, explicit Euler, managed memory.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <cuda_runtime.h>

struct Params { float Du, Dv, A, B, B1, dt; };
constexpr int S = 512;

__device__ float laplace(const float *f, int x, int y)
{
    int l = (x + S - 1) % S, r = (x + 1) % S, d = (y + S - 1) % S, u = (y + 1) % S;
    return f[y * S + l] + f[y * S + r] + f[d * S + x] + f[u * S + x] - 4.f * f[y * S + x];
}

__global__ void brusselator(const float *u, const float *v, float *un, float *vn, Params p)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = y * S + x;
    float a = u[i], b = v[i];
    float uuv = a * a * b;
    un[i] = a + p.dt * (p.Du * laplace(u, x, y) + p.A - p.B1 * a + uuv);
    vn[i] = b + p.dt * (p.Dv * laplace(v, x, y) + p.B * a - uuv);
}

int main()
{
    float *u, *v, *un, *vn;
    cudaMallocManaged(&u, S * S * sizeof(float));
    cudaMallocManaged(&v, S * S * sizeof(float));
    cudaMallocManaged(&un, S * S * sizeof(float));
    cudaMallocManaged(&vn, S * S * sizeof(float));
    for (int i = 0; i < S * S; ++i) {
        u[i] = 4.5f + 0.1f * rand() / RAND_MAX;
        v[i] = 7.5f / 4.5f + 0.1f * rand() / RAND_MAX;
    }
    Params p{2.f, 16.f, 4.5f, 7.5f, 8.5f, 0.005f};
    dim3 block(16, 16), grid(S / 16, S / 16);
    for (int t = 0; t < 100; ++t) {
        brusselator<<<grid, block>>>(u, v, un, vn, p);
        std::swap(u, un);
        std::swap(v, vn);
    }
    cudaDeviceSynchronize();
    printf("%f %f\n", u[S], v[S]);
    cudaFree(u); cudaFree(v); cudaFree(un); cudaFree(vn);
}
