#include <cuda_runtime.h>

__global__ void heat7(const double *__restrict__ t0, double *__restrict__ t1, int nx, int ny, int nz, double alpha)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;

    if (i == 0 || j == 0 || k == 0) return;
    if (i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;

    int sx = 1, sy = nx, sz = nx * ny;
    int id = i + j * sy + k * sz;
    double c = t0[id];
    double lap = t0[id - sx] + t0[id + sx] + t0[id - sy] + t0[id + sy] + t0[id - sz] + t0[id + sz] - 6.0 * c;
    t1[id] = c + alpha * lap;
}

int main()
{
    int nx = 256, ny = 256, nz = 256;
    size_t bytes = (size_t)nx * ny * nz * sizeof(double);
    double *t0, *t1;
    cudaMalloc(&t0, bytes);
    cudaMalloc(&t1, bytes);
    dim3 block(32, 4, 2);
    dim3 grid(nx / block.x, ny / block.y, nz / block.z);
    heat7<<<grid, block>>>(t0, t1, nx, ny, nz, 0.1);
    cudaDeviceSynchronize();
}
