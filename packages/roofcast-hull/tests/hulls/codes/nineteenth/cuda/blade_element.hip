// Blade element momentum: induction factors of many designs by a fixed number of relaxed iterations
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

#define DESIGNS 2048
#define SECTIONS 32

struct Rotor { float wind, omega, solidity, slope, cd0, drag, relax, dr; };

__global__ void section_thrust(const float *radius, const float *chord, const float *twist, float *thrust, Rotor k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= DESIGNS * SECTIONS) return;
    float r = radius[i], beta = twist[i];
    float wr = k.omega * r, sigma = k.solidity * chord[i] / r;
    float a = 0.3f, ap = 0.f;
    for (int it = 0; it < 40; it++) {
        float phi = atan2f(k.wind * (1.f - a), wr * (1.f + ap));
        float s = sinf(phi), c = cosf(phi);
        float cl = k.slope * (phi - beta);
        float cd = k.cd0 + k.drag * cl * cl;
        float cn = cl * c + cd * s, ct = cl * s - cd * c;
        float kn = sigma * cn / (4.f * s * s), kt = sigma * ct / (4.f * s * c);
        a += k.relax * (kn / (1.f + kn) - a);
        ap += k.relax * (kt / (1.f - kt) - ap);
    }
    thrust[i] = 15.4f * r * a * (1.f - a);
}

__global__ void rotor_thrust(const float *thrust, float *total, Rotor k)
{
    int design = blockIdx.x * blockDim.y + threadIdx.y;
    float t = thrust[design * SECTIONS + threadIdx.x] * k.dr;
    for (int o = 16; o > 0; o >>= 1)
        t += __shfl_down_sync(0xffffffff, t, o);
    if (threadIdx.x == 0) total[design] = t;
}

int main()
{
    const int n = DESIGNS * SECTIONS;
    std::vector<float> r(n), c(n), b(n);
    for (int i = 0; i < n; i++) {
        r[i] = 2.f + (i % SECTIONS) * 0.5f;
        c[i] = 1.2f - 0.02f * (i % SECTIONS) + 1e-4f * (i / SECTIONS);
        b[i] = 0.3f / r[i] + 0.02f;
    }
    float *dr, *dc, *db, *dt, *tot;
    hipMalloc(&dr, n * sizeof(float));
    hipMalloc(&dc, n * sizeof(float));
    hipMalloc(&db, n * sizeof(float));
    hipMalloc(&dt, n * sizeof(float));
    hipMalloc(&tot, DESIGNS * sizeof(float));
    hipMemcpy(dr, r.data(), n * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(dc, c.data(), n * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(db, b.data(), n * sizeof(float), hipMemcpyHostToDevice);
    Rotor k = {9.f, 2.5f, 0.477f, 5.7f, 0.008f, 0.01f, 0.25f, 0.5f};
    section_thrust<<<n / 256, 256>>>(dr, dc, db, dt, k);
    rotor_thrust<<<DESIGNS / 8, dim3(32, 8)>>>(dt, tot, k);
    float first;
    hipMemcpy(&first, tot, sizeof first, hipMemcpyDeviceToHost);
    printf("%f\n", first);
}
