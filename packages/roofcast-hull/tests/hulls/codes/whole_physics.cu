// Grids, particles and finance: the kernels of simulation codes, with the guards that their authors write.
#include <cuda_runtime.h>
#include <cuda.h>

typedef double real;
#define NX 2048
#define NY 1024
#define NZ 64
#define AT(i, j) ((j) * NX + (i))
#define PI 3.14159265358979f
const int bodies = 1 << 15;

__global__ void triad(real *__restrict__ a, const real *__restrict__ b, const real *__restrict__ c, real s, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) a[i] = b[i] + s * c[i];
}

__global__ void heat_chip(const float *temp, const float *power, float *out, int cols, int rows, float cx, float cy, float cz) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= cols || r >= rows) return;
    int here = r * cols + c;
    int north = (r == 0) ? here : here - cols;
    int south = (r == rows - 1) ? here : here + cols;
    int west = (c == 0) ? here : here - 1;
    int east = (c == cols - 1) ? here : here + 1;
    float t = temp[here];
    out[here] = t + power[here] + cx * (temp[east] + temp[west] - 2.0f * t) + cy * (temp[north] + temp[south] - 2.0f * t) +
                cz * (80.0f - t);
}

__global__ void wave(const float *__restrict__ now, float *__restrict__ other, float c2) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i <= 0 || j <= 0 || i >= NX - 1 || j >= NY - 1) return;
    other[AT(i, j)] = 2.f * now[AT(i, j)] - other[AT(i, j)] +
                      c2 * (now[AT(i + 1, j)] + now[AT(i - 1, j)] + now[AT(i, j + 1)] + now[AT(i, j - 1)] - 4.f * now[AT(i, j)]);
}

__global__ void upwind(const double *q, double *q_new, double cfl, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n) q_new[i] = q[i] - cfl * (q[i] - q[i - 1]);
}

__global__ void seven_point(const float *in, float *out, int nx, int ny, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
        for (int k = 1; k < nz - 1; k++) {
            int p = (k * ny + j) * nx + i;
            out[p] = in[p - 1] + in[p + 1] + in[p - nx] + in[p + nx] + in[p - nx * ny] + in[p + nx * ny] - 6.0f * in[p];
        }
    }
}

__global__ void magnetic(float *hz, const float *ex, const float *ey, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w - 1 && y < h - 1)
        hz[y * w + x] -= 0.7f * (ex[(y + 1) * w + x] - ex[y * w + x] + ey[y * w + x] - ey[y * w + x + 1]);
}

__global__ void drift(float *x, float *y, float *z, const float *vx, const float *vy, const float *vz, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] += dt * vx[i];
        y[i] += dt * vy[i];
        z[i] += dt * vz[i];
    }
}

__global__ void distances(const float2 *places, float *d, float lat, float lng, int n) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) {
        float2 p = places[id];
        d[id] = sqrtf((lat - p.x) * (lat - p.x) + (lng - p.y) * (lng - p.y));
    }
}

__device__ float cnd(float d) { return 0.5f * erfcf(-d * 0.70710678f); }

__global__ void options(const float *price, const float *strike, const float *years, float *call, float rate, float vol, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float root = sqrtf(years[i]);
        float d1 = (logf(price[i] / strike[i]) + rate * years[i]) / (vol * root);
        float d2 = d1 - vol * root;
        call[i] = price[i] * cnd(d1) - strike[i] * expf(-rate * years[i]) * cnd(d2);
    }
}

__global__ void assign_clusters(const float *points, const float *centres, int *label, int n, int k, int dims) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 1e30f;
    int which = 0;
    for (int c = 0; c < k; c++) {
        float d = 0.f;
        for (int f = 0; f < dims; f++) {
            float t = points[f * n + i] - centres[c * dims + f];
            d += t * t;
        }
        if (d < best) {
            best = d;
            which = c;
        }
    }
    label[i] = which;
}

__global__ void fourier_q(const float *x, const float *kx, const float *phi, float *re, float *im, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = 0, b = 0;
        for (int j = 0; j < m; j++) {
            float angle = 2.0f * PI * kx[j] * x[i];
            a += phi[j] * cosf(angle);
            b += phi[j] * sinf(angle);
        }
        re[i] = a;
        im[i] = b;
    }
}

__global__ void neighbours(const float *pos, const int *list, float *force, int n, int per) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float p = pos[i], f = 0.f;
    for (int k = 0; k < per; k++) {
        float d = pos[list[k * n + i]] - p;
        f += d / (d * d + 0.01f);
    }
    force[i] = f;
}

__global__ void escape(int *counts, int w, int h, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float cr = 3.0f * x / w - 2.0f, ci = 2.0f * y / h - 1.0f, zr = 0.f, zi = 0.f;
    int it = 0;
    while (it < most && zr * zr + zi * zi < 4.f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.f * zr * zi + ci;
        zr = t;
        it++;
    }
    counts[y * w + x] = it;
}

__global__ void visit_level(const int *start, const int *edges, int *level, int depth, int nodes) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < nodes && level[v] == depth)
        for (int e = start[v]; e < start[v + 1]; e++)
            if (level[edges[e]] < 0) level[edges[e]] = depth + 1;
}

void time_steps(float *now, float *other, int steps) {
    dim3 block(32, 8);
    dim3 grid((NX + block.x - 1) / block.x, (NY + block.y - 1) / block.y);
    for (int s = 0; s < steps; s++) {
        wave<<<grid, block>>>(now, other, 0.25f);
        float *swap = now;
        now = other;
        other = swap;
    }
}

int main() {
    const size_t plane = (size_t)NX * NY;
    real *a, *b, *c;
    cudaMalloc((void **)&a, plane * sizeof(real));
    cudaMalloc((void **)&b, plane * sizeof(real));
    cudaMalloc((void **)&c, plane * sizeof(real));
    triad<<<(plane + 511) / 512, 512>>>(a, b, c, 3.0, plane);
    upwind<<<(plane + 255) / 256, 256>>>(a, b, 0.4, plane);
    float *u, *v, *w;
    cudaMalloc((void **)&u, plane * sizeof(float));
    cudaMalloc((void **)&v, plane * sizeof(float));
    cudaMalloc((void **)&w, plane * sizeof(float));
    dim3 t(16, 16), g(NX / 16, NY / 16);
    heat_chip<<<g, t>>>(u, v, w, NX, NY, 0.1f, 0.1f, 0.01f);
    time_steps(u, v, 100);
    magnetic<<<g, t>>>(u, v, w, NX, NY);
    float *p, *q;
    cudaMalloc((void **)&p, 256 * 256 * NZ * sizeof(float));
    cudaMalloc((void **)&q, 256 * 256 * NZ * sizeof(float));
    seven_point<<<dim3(256 / 32, 256 / 4), dim3(32, 4)>>>(p, q, 256, 256, NZ);
    float *x, *y, *z, *vx, *vy, *vz;
    const size_t bytes = bodies * sizeof(float);
    cudaMalloc((void **)&x, bytes);
    cudaMalloc((void **)&y, bytes);
    cudaMalloc((void **)&z, bytes);
    cudaMalloc((void **)&vx, bytes);
    cudaMalloc((void **)&vy, bytes);
    cudaMalloc((void **)&vz, bytes);
    drift<<<bodies / 128, 128>>>(x, y, z, vx, vy, vz, 0.01f, bodies);
    float2 *places;
    cudaMalloc((void **)&places, bodies * sizeof(float2));
    distances<<<bodies / 256, 256>>>(places, x, 30.f, 90.f, bodies);
    options<<<64, 128>>>(x, y, z, vx, 0.02f, 0.3f, bodies);
    float *points, *centres;
    int *label;
    cudaMalloc((void **)&points, bodies * 16 * sizeof(float));
    cudaMalloc((void **)&centres, 8 * 16 * sizeof(float));
    cudaMalloc((void **)&label, bodies * sizeof(int));
    assign_clusters<<<bodies / 256, 256>>>(points, centres, label, bodies, 8, 16);
    fourier_q<<<bodies / 256, 256>>>(x, y, z, vx, vy, bodies, 2048);
    int *list;
    cudaMalloc((void **)&list, bodies * 64 * sizeof(int));
    neighbours<<<bodies / 256, 256>>>(x, list, y, bodies, 64);
    int *counts;
    cudaMalloc((void **)&counts, plane * sizeof(int));
    escape<<<g, t>>>(counts, NX, NY, 200);
    int *start, *edges, *level;
    cudaMalloc((void **)&start, (bodies + 1) * sizeof(int));
    cudaMalloc((void **)&edges, bodies * 8 * sizeof(int));
    cudaMalloc((void **)&level, bodies * sizeof(int));
    for (int d = 0; d < 10; d++) visit_level<<<bodies / 256, 256>>>(start, edges, level, d, bodies);
    cudaDeviceSynchronize();
}
