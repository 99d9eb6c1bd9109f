// HLL fluxes of the Euler equations through the faces between the cells of a tube.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int CELLS = 1 << 20;
constexpr float GAMMA = 1.4f;

struct State { float rho, mom, ene, fm, fp, fe, c; };

__device__ State state(float rho, float u, float p)
{
    State s;
    s.c = sqrtf(GAMMA * p / rho);
    s.rho = rho;
    s.mom = rho * u;
    s.ene = p * 2.5f + 0.5f * s.mom * u;
    s.fm = s.mom;
    s.fp = s.mom * u + p;
    s.fe = (s.ene + p) * u;
    return s;
}

__global__ void hll(const float* rho, const float* u, const float* p, float* f0, float* f1, float* f2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= CELLS - 1) return;
    float ul = u[i], ur = u[i + 1];
    State l = state(rho[i], ul, p[i]);
    State r = state(rho[i + 1], ur, p[i + 1]);
    float sl = fminf(fminf(ul - l.c, ur - r.c), 0.0f);
    float sr = fmaxf(fmaxf(ul + l.c, ur + r.c), 0.0f);
    float inv = 1.0f / (sr - sl), ss = sl * sr;
    f0[i] = (sr * l.fm - sl * r.fm + ss * (r.rho - l.rho)) * inv;
    f1[i] = (sr * l.fp - sl * r.fp + ss * (r.mom - l.mom)) * inv;
    f2[i] = (sr * l.fe - sl * r.fe + ss * (r.ene - l.ene)) * inv;
}

int main()
{
    float* a[6];
    for (auto& d : a) cudaMallocManaged(&d, CELLS * sizeof(float));
    for (int i = 0; i < CELLS; i++) {
        bool left = i < CELLS / 2;
        a[0][i] = left ? 1.0f : 0.125f;
        a[1][i] = 0.001f * (i % 7);
        a[2][i] = left ? 1.0f : 0.1f;
    }
    hll<<<CELLS / 256, 256>>>(a[0], a[1], a[2], a[3], a[4], a[5]);
    cudaDeviceSynchronize();
    printf("%f\n", a[4][CELLS / 2 - 1]);
}
