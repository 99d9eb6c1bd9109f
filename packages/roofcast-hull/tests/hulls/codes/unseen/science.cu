// Kernels of simulations, with structures by value and operators.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int NX = 1024;
constexpr int NY = 512;

__constant__ float weight[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
__constant__ int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

__global__ void lattice_boltzmann(const float *f_in, float *f_out, float omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= NX || y >= NY) return;
    float f[9], rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < 9; q++) {
        int xs = (x - ex[q] + NX) % NX;
        int ys = (y - ey[q] + NY) % NY;
        f[q] = f_in[q * NX * NY + ys * NX + xs];
        rho += f[q];
        ux += ex[q] * f[q];
        uy += ey[q] * f[q];
    }
    ux /= rho;
    uy /= rho;
    float u2 = 1.5f * (ux * ux + uy * uy);
    for (int q = 0; q < 9; q++) {
        float eu = 3.0f * (ex[q] * ux + ey[q] * uy);
        float equal = weight[q] * rho * (1.0f + eu + 0.5f * eu * eu - u2);
        f_out[q * NX * NY + y * NX + x] = f[q] - omega * (f[q] - equal);
    }
}

__device__ __forceinline__ float3 minus(const float3 a, const float3 b) {
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
__device__ __forceinline__ float inner(const float3 &a, const float3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__global__ void sph_density(const float3 *__restrict__ position, float *__restrict__ density, int n, float h2, float k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 mine = position[i];
    float sum = 0.0f;
    for (int j = 0; j < n; j++) {
        float3 d = minus(mine, position[j]);
        float t = fmaxf(h2 - inner(d, d), 0.0f);
        sum += t * t * t;
    }
    density[i] = sum * k;
}

struct cplx {
    float re, im;
};
__device__ cplx multiply(cplx a, cplx b) {
    cplx c;
    c.re = a.re * b.re - a.im * b.im;
    c.im = a.re * b.im + a.im * b.re;
    return c;
}
__device__ cplx scaled(cplx a, float s) { return {a.re * s, a.im * s}; }

__global__ void spectrum_product(cplx *a, const cplx *b, int n, float s) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        a[i] = scaled(multiply(a[i], b[i]), s);
}

struct Complex {
    float r, i;
    __device__ Complex(float a, float b) : r(a), i(b) {}
    __device__ float norm() const { return r * r + i * i; }
    __device__ Complex operator*(const Complex &o) const { return Complex(r * o.r - i * o.i, i * o.r + r * o.i); }
    __device__ Complex operator+(const Complex &o) const { return Complex(r + o.r, i + o.i); }
};

__global__ void quadratic_map(const float *cr, const float *ci, float *size, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    Complex c(cr[t], ci[t]);
    Complex z(0.0f, 0.0f);
    for (int k = 0; k < 32; k++) z = z * z + c;
    size[t] = z.norm();
}

__global__ void thomas(const float *a, const float *b, float *c, float *d, int n, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = c[i] / b[i];
    d[i] = d[i] / b[i];
    for (int k = 1; k < rows; k++) {
        float m = 1.0f / (b[k * n + i] - a[k * n + i] * c[(k - 1) * n + i]);
        c[k * n + i] = c[k * n + i] * m;
        d[k * n + i] = (d[k * n + i] - a[k * n + i] * d[(k - 1) * n + i]) * m;
    }
    for (int k = rows - 2; k >= 0; k--) d[k * n + i] -= c[k * n + i] * d[(k + 1) * n + i];
}

__global__ void cheapest_path(const int *wall, const int *before, int *after, int cols, int row) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= cols) return;
    int left = before[max(x - 1, 0)];
    int right = before[min(x + 1, cols - 1)];
    after[x] = wall[row * cols + x] + min(before[x], min(left, right));
}

__global__ void deposit(const float *x, float *rho, int particles, float inverse, float charge) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < particles) {
        float at = x[p] * inverse;
        int cell = (int)at;
        float w = at - cell;
        atomicAdd(&rho[cell], charge * (1.0f - w));
        atomicAdd(&rho[cell + 1], charge * w);
    }
}

template <bool is_black>
__global__ void update_lattice(signed char *lattice, const signed char *op, const float *random, float inv_temp, long nx, long ny) {
    const long long tid = static_cast<long long>(blockDim.x) * blockIdx.x + threadIdx.x;
    const int i = tid / ny;
    const int j = tid % ny;
    if (i >= nx || j >= ny) return;
    int ipp = (i + 1 < nx) ? i + 1 : 0;
    int inn = (i - 1 >= 0) ? i - 1 : nx - 1;
    int jpp = (j + 1 < ny) ? j + 1 : 0;
    int jnn = (j - 1 >= 0) ? j - 1 : ny - 1;
    int joff;
    if (is_black) joff = (i % 2) ? jpp : jnn;
    else joff = (i % 2) ? jnn : jpp;
    signed char nn_sum = op[inn * ny + j] + op[i * ny + j] + op[ipp * ny + j] + op[i * ny + joff];
    signed char lij = lattice[i * ny + j];
    float acceptance = exp(-2.0f * inv_temp * nn_sum * lij);
    if (random[i * ny + j] < acceptance) lattice[i * ny + j] = -lij;
}

int main(int argc, char **argv) {
    float *p, *q, *r, *s;
    cudaMalloc((void **)&p, 128 * 65536 * sizeof(float));
    cudaMalloc((void **)&q, 128 * 65536 * sizeof(float));
    cudaMalloc((void **)&r, 128 * 65536 * sizeof(float));
    cudaMalloc((void **)&s, 128 * 65536 * sizeof(float));
    for (int step = 0; step < 100; step++) lattice_boltzmann<<<dim3(NX / 32, NY / 8), dim3(32, 8)>>>(p, q, 1.2f);
    const int particles = 8192;
    float3 *position;
    cudaMalloc(&position, particles * sizeof(float3));
    sph_density<<<(particles + 127) / 128, 128>>>(position, q, particles, 0.01f, 3.0f);
    cplx *a, *b;
    cudaMalloc(&a, (1 << 20) * sizeof(cplx));
    cudaMalloc(&b, (1 << 20) * sizeof(cplx));
    spectrum_product<<<32, 256>>>(a, b, 1 << 20, 1.0f / (1 << 20));
    quadratic_map<<<1024, 256>>>(p, q, r, 262144);
    thomas<<<65536 / 128, 128>>>(p, q, r, s, 65536, 128);
    const int cols = 100000, rows = 1000;
    int *wall, *first, *second;
    cudaMalloc(&wall, cols * rows * sizeof(int));
    cudaMalloc(&first, cols * sizeof(int));
    cudaMalloc(&second, cols * sizeof(int));
    for (int t = 0; t < rows - 1; t++) {
        cheapest_path<<<(cols + 255) / 256, 256>>>(wall, first, second, cols, t + 1);
        int *swap = first;
        first = second;
        second = swap;
    }
    float *rho;
    cudaMalloc(&rho, 4096 * sizeof(float));
    cudaMemset(rho, 0, 4096 * sizeof(float));
    deposit<<<(1000000 + 255) / 256, 256>>>(p, rho, 1000000, 4095.0f, 1e-3f);
    signed char *black, *white;
    long nx = 2048, ny = 1024;
    cudaMalloc(&black, nx * ny);
    cudaMalloc(&white, nx * ny);
    int blocks = (nx * ny + 127) / 128;
    update_lattice<true><<<blocks, 128>>>(black, white, p, 0.4f, nx, ny);
    cudaDeviceSynchronize();
}
