#include <cuda_runtime.h>

template <class I, class V>
__global__ void ell_kernel(const I rows, const I per_row, const I pitch, const I *Aj, const V *Ax, const V *x, V *y)
{
    const I stride = blockDim.x * gridDim.x;
    for (I row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += stride) {
        V sum = 0;
        I at = row;
        for (I n = 0; n < per_row; n++) {
            const V a = Ax[at];
            const I c = Aj[at];
            sum += a * x[c];
            at += pitch;
        }
        y[row] = sum;
    }
}

int main()
{
    const int rows = 40000, per_row = 32;
    int *Aj;
    float *Ax, *x, *y;
    cudaMalloc(&Aj, sizeof(int) * rows * per_row);
    cudaMalloc(&Ax, sizeof(float) * rows * per_row);
    cudaMalloc(&x, sizeof(float) * rows);
    cudaMalloc(&y, sizeof(float) * rows);
    ell_kernel<int, float><<<157, 256>>>(rows, per_row, rows, Aj, Ax, x, y);
    cudaDeviceSynchronize();
    return 0;
}
