#include <cstdio>
#include <cstdlib>
#include <utility>

#define IDX(r, c, ld) ((r) * (ld) + (c))

__global__ void jacobi_step(double *__restrict__ a_new, const double *__restrict__ a, const int iy_start, const int iy_end,
                            const int nx) {
    int iy = blockIdx.y * blockDim.y + threadIdx.y + iy_start;
    int ix = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (iy < iy_end && ix < (nx - 1)) {
        const double new_val = 0.25 * (a[IDX(iy, ix + 1, nx)] + a[IDX(iy, ix - 1, nx)] + a[IDX(iy + 1, ix, nx)] +
                                       a[IDX(iy - 1, ix, nx)]);
        a_new[IDX(iy, ix, nx)] = new_val;
    }
}

int main(int argc, char *argv[]) {
    const int iter_max = argc > 1 ? atoi(argv[1]) : 1000;
    const int nx = 2048, ny = 2048;
    double *a, *a_new;
    cudaMalloc(&a, nx * ny * sizeof(double));
    cudaMalloc(&a_new, nx * ny * sizeof(double));
    cudaMemset(a, 0, nx * ny * sizeof(double));
    int iy_start = 1, iy_end = ny - 1;
    dim3 dim_block(32, 4, 1);
    dim3 dim_grid((nx + dim_block.x - 1) / dim_block.x, (ny + dim_block.y - 1) / dim_block.y, 1);
    for (int iter = 0; iter < iter_max; iter++) {
        jacobi_step<<<dim_grid, dim_block>>>(a_new, a, iy_start, iy_end, nx);
        std::swap(a, a_new);
    }
    cudaDeviceSynchronize();
    return 0;
}
