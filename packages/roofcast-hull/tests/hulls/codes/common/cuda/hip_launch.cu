#include <hip/hip_runtime.h>
template <typename T>
__global__ void rowsum(const T *__restrict__ m, T *__restrict__ s, int rows, int cols)
{
    const int r = threadIdx.x + blockIdx.x * blockDim.x;
    if (r >= rows) return;
    T acc = T(0);
    for (int c = 0; c < cols; ++c) acc += m[(size_t)r * cols + c];
    s[r] = acc;
}
int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 4096;
    int cols = argc > 2 ? atoi(argv[2]) : 512;
    double *m, *s;
    hipMalloc(&m, sizeof(double) * rows * cols);
    hipMalloc(&s, sizeof(double) * rows);
    dim3 grid((rows + 127) / 128), block(128);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(rowsum<double>), grid, block, 0, 0, m, s, rows, cols);
}
