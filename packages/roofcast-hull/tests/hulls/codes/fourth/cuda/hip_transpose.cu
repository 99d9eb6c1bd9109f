#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

#define DIM 16

// transposed and conjugated, through local memory
__global__ void conjugate_transpose(const double2* a, double2* at, int rows, int cols)
{
    __shared__ double2 tile[DIM][DIM + 1];
    int c = blockIdx.x * DIM + threadIdx.x;
    int r = blockIdx.y * DIM + threadIdx.y;
    if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = a[r * cols + c];
    __syncthreads();
    int tc = blockIdx.y * DIM + threadIdx.x;
    int tr = blockIdx.x * DIM + threadIdx.y;
    if (tr < cols && tc < rows) {
        double2 z = tile[threadIdx.x][threadIdx.y];
        z.y = -z.y;
        at[tr * rows + tc] = z;
    }
}

int main()
{
    const int rows = 500, cols = 620;
    std::vector<double2> h(rows * cols);
    for (int i = 0; i < rows * cols; ++i) {
        h[i].x = i;
        h[i].y = -i;
    }
    double2 *a, *at;
    hipMalloc((void**)&a, h.size() * sizeof(double2));
    hipMalloc((void**)&at, h.size() * sizeof(double2));
    hipMemcpy(a, h.data(), h.size() * sizeof(double2), hipMemcpyHostToDevice);
    dim3 block(DIM, DIM);
    dim3 grid((cols + DIM - 1) / DIM, (rows + DIM - 1) / DIM);
    hipLaunchKernelGGL(conjugate_transpose, grid, block, 0, 0, a, at, rows, cols);
    hipMemcpy(h.data(), at, h.size() * sizeof(double2), hipMemcpyDeviceToHost);
    printf("%f\n", h[1].x);
    hipFree(a);
    hipFree(at);
    return 0;
}
