// Spinodal decomposition, explicit Euler: chemical potential, then concentration. The box is periodic.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

struct Box {
    int nx, ny, nz;
    __host__ __device__ int at(int x, int y, int z) const { return (z * ny + y) * nx + x; }
    size_t cells() const { return (size_t)nx * ny * nz; }
};

__device__ inline float laplacian(const float *f, const Box &b, int x, int y, int z, float inv_h2)
{
    const int xm = x == 0 ? b.nx - 1 : x - 1, xp = x == b.nx - 1 ? 0 : x + 1;
    const int ym = y == 0 ? b.ny - 1 : y - 1, yp = y == b.ny - 1 ? 0 : y + 1;
    const int zm = z == 0 ? b.nz - 1 : z - 1, zp = z == b.nz - 1 ? 0 : z + 1;
    return (f[b.at(xm, y, z)] + f[b.at(xp, y, z)] + f[b.at(x, ym, z)] + f[b.at(x, yp, z)] + f[b.at(x, y, zm)] +
            f[b.at(x, y, zp)] - 6.0f * f[b.at(x, y, z)]) * inv_h2;
}

__global__ void chemical_potential(const float *c, float *mu, Box b, float kappa, float inv_h2)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= b.nx || y >= b.ny || z >= b.nz) return;
    const float v = c[b.at(x, y, z)];
    mu[b.at(x, y, z)] = v * v * v - v - kappa * laplacian(c, b, x, y, z, inv_h2);
}

__global__ void local_update(const float *c, const float *mu, float *cnew, Box b, float dt, float mobility, float inv_h2)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= b.nx || y >= b.ny || z >= b.nz) return;
    cnew[b.at(x, y, z)] = c[b.at(x, y, z)] + dt * mobility * laplacian(mu, b, x, y, z, inv_h2);
}

int main(int argc, char **argv)
{
    const int iterations = argc > 1 ? atoi(argv[1]) : 50;
    const Box box = {128, 96, 64};
    const float dx = 1.0f, dt = 0.01f, kappa = 0.5f, mobility = 1.0f;

    std::vector<float> h(box.cells());
    srand(12345);
    for (auto &v : h) v = 0.1f * ((float)rand() / RAND_MAX - 0.5f);

    float *c_old, *c_new, *mu;
    cudaMalloc(&c_old, box.cells() * sizeof(float));
    cudaMalloc(&c_new, box.cells() * sizeof(float));
    cudaMalloc(&mu, box.cells() * sizeof(float));
    cudaMemcpy(c_old, h.data(), box.cells() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(32, 4, 2);
    dim3 blocks((box.nx + threads.x - 1) / threads.x, (box.ny + threads.y - 1) / threads.y, (box.nz + threads.z - 1) / threads.z);
    clock_t t = clock();
    for (int it = 0; it < iterations; it++) {
        chemical_potential<<<blocks, threads>>>(c_old, mu, box, kappa, 1.0f / (dx * dx));
        local_update<<<blocks, threads>>>(c_old, mu, c_new, box, dt, mobility, 1.0f / (dx * dx));
        float *swap = c_old;
        c_old = c_new;
        c_new = swap;
    }
    cudaDeviceSynchronize();
    t = clock() - t;
    cudaMemcpy(h.data(), c_old, box.cells() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : h) sum += v;
    printf("%d steps in %.3f s; mean concentration %g\n", iterations, (double)t / CLOCKS_PER_SEC, sum / box.cells());
    cudaFree(c_old);
    cudaFree(c_new);
    cudaFree(mu);
    return 0;
}
