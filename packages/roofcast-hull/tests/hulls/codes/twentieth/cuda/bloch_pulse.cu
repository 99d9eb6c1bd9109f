// off-resonant spins under a shaped RF pulse, hard-pulse approximation; then slice profile
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

const int SPINS = 1 << 18;
const int STEPS = 256;

__constant__ float2 rot_c[STEPS];   // cos, sin of each small flip about x

struct Mag { float x, y, z; };

__device__ Mag flip_x(Mag m, float2 r)
{
    Mag o;
    o.x = m.x;
    o.y = r.x * m.y + r.y * m.z;
    o.z = r.x * m.z - r.y * m.y;
    return o;
}

__device__ Mag precess(Mag m, float c, float s)
{
    Mag o;
    o.x = c * m.x - s * m.y;
    o.y = s * m.x + c * m.y;
    o.z = m.z;
    return o;
}

__global__ void run_pulse(const float *off, Mag *m, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s, c;
    sincosf(off[i] * dt, &s, &c);
    Mag a = m[i];
    for (int t = 0; t < STEPS; ++t)
        a = precess(flip_x(a, rot_c[t]), c, s);
    m[i] = a;
}

__global__ void transverse(const Mag *m, float *mxy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    mxy[i] = hypotf(m[i].x, m[i].y);
}

int main()
{
    static float2 r[STEPS];
    for (int t = 0; t < STEPS; ++t) {
        float u = (t - STEPS / 2 + 0.5f) * 0.05f;
        float a = 0.012f * sinf(u) / u;
        r[t] = make_float2(cosf(a), sinf(a));
    }
    cudaMemcpyToSymbol(rot_c, r, sizeof(r));
    float *off, *mxy; Mag *m;
    cudaMallocManaged(&off, SPINS * sizeof(float));
    cudaMallocManaged(&mxy, SPINS * sizeof(float));
    cudaMallocManaged(&m, SPINS * sizeof(Mag));
    for (int i = 0; i < SPINS; ++i) { off[i] = (i - SPINS / 2) * 0.02f; m[i].x = 0; m[i].y = 0; m[i].z = 1; }
    run_pulse<<<SPINS / 128, 128>>>(off, m, 1e-5f);
    transverse<<<SPINS / 256, 256>>>(m, mxy);
    cudaDeviceSynchronize();
    printf("%f\n", mxy[SPINS / 2]);
    return 0;
}
