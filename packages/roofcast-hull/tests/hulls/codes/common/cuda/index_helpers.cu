#include <cuda_runtime.h>
#include <cstddef>

__device__ __forceinline__ size_t global_index() { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ size_t global_stride() { return (size_t)gridDim.x * blockDim.x; }

struct Cell { int col, row; };

__device__ inline Cell my_cell()
{
    Cell c;
    c.col = blockIdx.x * blockDim.x + threadIdx.x;
    c.row = blockIdx.y * blockDim.y + threadIdx.y;
    return c;
}

__global__ void axpby(size_t n, float a, const float *x, float b, const float *y, float *z)
{
    for (size_t i = global_index(); i < n; i += global_stride())
        z[i] = a * x[i] + b * y[i];
}

__global__ void gamma_correct(const float *src, float *dst, int w, int h, float g)
{
    const Cell c = my_cell();
    if (c.col >= w || c.row >= h) return;
    int at = c.row * w + c.col;
    dst[at] = powf(src[at], g);
}

#define AT(r, c, ld) ((size_t)(r) * (ld) + (c))
__global__ void grid_stride_2d(const double *a, const double *b, double *out, int rows, int cols)
{
    for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += blockDim.y * gridDim.y)
        for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < cols; c += blockDim.x * gridDim.x)
            out[AT(r, c, cols)] = a[AT(r, c, cols)] - b[AT(r, c, cols)];
}

__global__ void scale_volume(float *v, int nx, int ny, int nz, float f)
{
    for (int z = blockIdx.z; z < nz; z += gridDim.z)
        for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += gridDim.y * blockDim.y)
            for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < nx; x += gridDim.x * blockDim.x) {
                size_t p = ((size_t)z * ny + y) * nx + x;
                v[p] = v[p] * f;
            }
}

int main()
{
    size_t n = 6000000;
    float *x, *y, *z, *img, *img2, *vol;
    double *a, *b, *c;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&z, n * sizeof(float));
    axpby<<<512, 256>>>(n, 2.0f, x, 3.0f, y, z);
    int w = 1600, h = 1200;
    cudaMalloc(&img, w * h * sizeof(float));
    cudaMalloc(&img2, w * h * sizeof(float));
    dim3 threads(16, 16), blocks((w + 15) / 16, (h + 15) / 16);
    gamma_correct<<<blocks, threads>>>(img, img2, w, h, 2.2f);
    cudaMalloc(&a, 2000 * 3000 * sizeof(double));
    cudaMalloc(&b, 2000 * 3000 * sizeof(double));
    cudaMalloc(&c, 2000 * 3000 * sizeof(double));
    grid_stride_2d<<<dim3(8, 8), dim3(32, 8)>>>(a, b, c, 2000, 3000);
    cudaMalloc(&vol, 200 * 180 * 160 * sizeof(float));
    scale_volume<<<dim3(2, 4, 16), dim3(32, 8)>>>(vol, 200, 180, 160, 0.25f);
    cudaDeviceSynchronize();
    return 0;
}
