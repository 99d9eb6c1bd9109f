// Constant-velocity filter for many tags at once: predict and update with one position measurement each.
#include <cstdio>
#include <hip/hip_runtime.h>

struct Bank {
    double *x, *v;              // state
    double *p00, *p01, *p11;    // covariance
};

__global__ void predict(Bank b, double dt, double q, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    double p01 = b.p01[i], p11 = b.p11[i];
    b.x[i] += dt * b.v[i];
    b.p00[i] += dt * (2.0 * p01 + dt * p11);
    b.p01[i] = p01 + dt * p11;
    b.p11[i] = p11 + q;
}

__global__ void update(Bank b, const double *meas, double r, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    const double p00 = b.p00[i], p01 = b.p01[i];
    const double inv = 1.0 / (p00 + r);
    const double k0 = p00 * inv, k1 = p01 * inv;
    const double y = meas[i] - b.x[i];
    b.x[i] += k0 * y;
    b.v[i] += k1 * y;
    b.p11[i] -= k1 * p01;
    b.p01[i] = p01 - k0 * p01;
    b.p00[i] = p00 - k0 * p00;
}

int main()
{
    const int n = 1000000;
    Bank b; double *z;
    hipMallocManaged(&b.x, n * sizeof(double));
    hipMallocManaged(&b.v, n * sizeof(double));
    hipMallocManaged(&b.p00, n * sizeof(double));
    hipMallocManaged(&b.p01, n * sizeof(double));
    hipMallocManaged(&b.p11, n * sizeof(double));
    hipMallocManaged(&z, n * sizeof(double));
    for (int i = 0; i < n; i++) {
        b.x[i] = i * 0.1; b.v[i] = 1.0 + (i % 5) * 0.2;
        b.p00[i] = 4.0; b.p01[i] = 0.1; b.p11[i] = 1.0;
        z[i] = i * 0.1 + 0.13;
    }
    for (int step = 0; step < 3; step++) {
        predict<<<(n + 191) / 192, 192>>>(b, 0.1, 0.02, n);
        update<<<(n + 191) / 192, 192>>>(b, z, 0.5, n);
    }
    hipDeviceSynchronize();
    printf("%g %g\n", b.x[7], b.p00[7]);
    return 0;
}
