// Cheapest way down a wall, one row a launch.
#include <cuda_runtime.h>
#include <cstdlib>
#include <vector>

__device__ __forceinline__ int least(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

__global__ void relax_row(const int *wall_row, const int *previous, int *next, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cols) {
        int left = previous[i > 0 ? i - 1 : i];
        int here = previous[i];
        int right = previous[i < cols - 1 ? i + 1 : i];
        next[i] = wall_row[i] + least(left, here, right);
    }
}

int main()
{
    const int cols = 100000, rows = 100;
    std::vector<int> wall(rows * cols);
    for (auto &w : wall) w = rand() % 10;
    int *d_wall, *d_a, *d_b;
    cudaMalloc(&d_wall, wall.size() * sizeof(int));
    cudaMalloc(&d_a, cols * sizeof(int));
    cudaMalloc(&d_b, cols * sizeof(int));
    cudaMemcpy(d_wall, wall.data(), wall.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_a, d_wall, cols * sizeof(int), cudaMemcpyDeviceToDevice);
    const int threads = 256;
    for (int r = 1; r < rows; r++) {
        relax_row<<<(cols + threads - 1) / threads, threads>>>(d_wall + r * cols, d_a, d_b, cols);
        int *t = d_a;
        d_a = d_b;
        d_b = t;
    }
    cudaDeviceSynchronize();
    return 0;
}
