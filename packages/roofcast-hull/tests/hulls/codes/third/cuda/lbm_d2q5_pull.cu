// Streaming only, five speeds, each in an array of its own, periodic.
#include <cuda_runtime.h>

__global__ void stream5(const float *c, const float *e, const float *w, const float *n, const float *s, float *c2, float *e2,
                        float *w2, float *n2, float *s2, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int left = x == 0 ? nx - 1 : x - 1;
    int right = x == nx - 1 ? 0 : x + 1;
    int below = y == 0 ? ny - 1 : y - 1;
    int above = y == ny - 1 ? 0 : y + 1;
    c2[y * nx + x] = c[y * nx + x];
    e2[y * nx + x] = e[y * nx + left];
    w2[y * nx + x] = w[y * nx + right];
    n2[y * nx + x] = n[below * nx + x];
    s2[y * nx + x] = s[above * nx + x];
}

int main()
{
    const int nx = 2048, ny = 1024;
    float *a[5], *b[5];
    for (int i = 0; i < 5; ++i) {
        cudaMalloc((void **)&a[i], nx * ny * sizeof(float));
        cudaMalloc((void **)&b[i], nx * ny * sizeof(float));
    }
    dim3 block(64, 4);
    dim3 grid(nx / 64, ny / 4);
    stream5<<<grid, block>>>(a[0], a[1], a[2], a[3], a[4], b[0], b[1], b[2], b[3], b[4], nx, ny);
    cudaDeviceSynchronize();
    return 0;
}
