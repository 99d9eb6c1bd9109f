// Burgers' equations in two dimensions.
#include <cuda_runtime.h>

__global__ void burgers(const double *__restrict__ u, const double *__restrict__ v, double *__restrict__ un,
                        double *__restrict__ vn, int nx, int ny, double ax, double ay, double bx, double by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
        int k = j * nx + i;
        double a = u[k], b = v[k];
        un[k] = a - ax * a * (a - u[k - 1]) - ay * b * (a - u[k - nx]) + bx * (u[k + 1] - 2.0 * a + u[k - 1]) +
                by * (u[k + nx] - 2.0 * a + u[k - nx]);
        vn[k] = b - ax * a * (b - v[k - 1]) - ay * b * (b - v[k - nx]) + bx * (v[k + 1] - 2.0 * b + v[k - 1]) +
                by * (v[k + nx] - 2.0 * b + v[k - nx]);
    }
}

int main()
{
    int nx = 1000, ny = 1000;
    double *u, *v, *un, *vn;
    size_t size = nx * ny * sizeof(double);
    cudaMalloc(&u, size);
    cudaMalloc(&v, size);
    cudaMalloc(&un, size);
    cudaMalloc(&vn, size);
    dim3 threads(32, 8, 1);
    dim3 blocks((nx + threads.x - 1) / threads.x, (ny + threads.y - 1) / threads.y, 1);
    burgers<<<blocks, threads>>>(u, v, un, vn, nx, ny, 0.1, 0.1, 0.01, 0.01);
    cudaDeviceSynchronize();
    return 0;
}
