// One step of Adan: gradient, its difference and a second moment of both.
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

#define COUNT (1 << 22)

struct Hyper { float lr, b1, b2, b3, eps, keep; };

__global__ void adan(float* p, const float* g, float* before, float* m, float* v, float* n, Hyper h, int count)
{
    const float c1 = 1.f - h.b1, c2 = 1.f - h.b2, c3 = 1.f - h.b3;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < count) {
        float gi = g[i];
        float d = gi - before[i];
        float mi = m[i], vi = v[i], ni = n[i];
        mi += c1 * (gi - mi);
        vi += c2 * (d - vi);
        float u = gi + h.b2 * d;
        ni += c3 * (u * u - ni);
        float upd = (mi + h.b2 * vi) / (sqrtf(ni) + h.eps);
        p[i] = (p[i] - h.lr * upd) * h.keep;
        before[i] = gi;
        m[i] = mi;
        v[i] = vi;
        n[i] = ni;
        i += gridDim.x * blockDim.x;
    }
}

int main()
{
    float* a[6];
    for (int k = 0; k < 6; k++) cudaMallocManaged(&a[k], COUNT * sizeof(float));
    float *p = a[0], *g = a[1], *q = a[2], *m = a[3], *v = a[4], *n = a[5];
    for (int i = 0; i < COUNT; i++) {
        p[i] = sinf(i * 0.01f);
        g[i] = cosf(i * 0.02f);
        q[i] = 0.9f * g[i];
        m[i] = v[i] = 0.01f;
        n[i] = 0.02f;
    }
    Hyper h = {1e-3f, 0.98f, 0.92f, 0.99f, 1e-8f, 0.9998f};
    adan<<<COUNT / 1024, 256>>>(p, g, q, m, v, n, h, COUNT);
    cudaDeviceSynchronize();
    printf("%f\n", p[5]);
}
