#include <cuda_runtime.h>

__global__ void lap_periodic(const double *u, double *l, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    int ip = (i + 1) % n, im = (i - 1 + n) % n, jp = (j + 1) % n, jm = (j - 1 + n) % n;
    l[j * n + i] = u[j * n + ip] + u[j * n + im] + u[jp * n + i] + u[jm * n + i] - 4.0 * u[j * n + i];
}

__global__ void fdtd_ez(double *ez, const double *hx, const double *hy, int nx, int ny, double c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < nx && y < ny)
        ez[y * nx + x] += c * ((hy[y * nx + x] - hy[y * nx + x - 1]) - (hx[y * nx + x] - hx[(y - 1) * nx + x]));
}

__global__ void advect_upwind(const float *__restrict__ q, float *__restrict__ r, int nx, int ny, float cx, float cy)
{
    const int ix = threadIdx.x + blockIdx.x * blockDim.x;
    const int iy = threadIdx.y + blockIdx.y * blockDim.y;
    if (ix < 1 || iy < 1 || ix >= nx || iy >= ny) return;
    const int id = iy * nx + ix;
    r[id] = q[id] - cx * (q[id] - q[id - 1]) - cy * (q[id] - q[id - nx]);
}

__global__ void residual_norm(const float *u, const float *f, float *norm, int n, float h2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n - 1) {
        float r = f[i] - (u[i - 1] - 2.f * u[i] + u[i + 1]) / h2;
        atomicAdd(norm, r * r);
    }
}

int main()
{
    double *u, *l, *ez, *hx, *hy;
    float *q, *r, *f, *nn;
    cudaMalloc(&u, 1024 * 1024 * 8);
    cudaMalloc(&l, 1024 * 1024 * 8);
    lap_periodic<<<dim3(32, 128), dim3(32, 8)>>>(u, l, 1024);
    cudaMalloc(&ez, 900 * 700 * 8);
    cudaMalloc(&hx, 900 * 700 * 8);
    cudaMalloc(&hy, 900 * 700 * 8);
    fdtd_ez<<<dim3((900 + 15) / 16, (700 + 15) / 16), dim3(16, 16)>>>(ez, hx, hy, 900, 700, 0.5);
    cudaMalloc(&q, 2048 * 1024 * 4);
    cudaMalloc(&r, 2048 * 1024 * 4);
    advect_upwind<<<dim3(64, 128), dim3(32, 8)>>>(q, r, 2048, 1024, 0.3f, 0.2f);
    cudaMalloc(&f, 4000000 * 4);
    cudaMalloc(&nn, 4);
    residual_norm<<<(4000000 + 255) / 256, 256>>>(q, f, nn, 4000000, 1e-4f);
    cudaDeviceSynchronize();
}
