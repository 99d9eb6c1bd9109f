// A polynomial at many places.
#include <cuda_runtime.h>

template <int DEGREE>
struct Polynomial {
    double c[DEGREE + 1];
    __device__ double operator()(double x) const
    {
        double y = c[DEGREE];
#pragma unroll
        for (int k = DEGREE - 1; k >= 0; --k) y = y * x + c[k];
        return y;
    }
};

template <typename F>
__global__ void evaluate(const double *x, double *y, F f, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = f(x[i]);
}

int main()
{
    const int n = 1 << 21;
    Polynomial<15> p{};
    for (int k = 0; k <= 15; ++k) p.c[k] = 1.0 / (k + 1);
    double *x, *y;
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&y, n * sizeof(double));
    evaluate<<<n / 256, 256>>>(x, y, p, n);
    cudaDeviceSynchronize();
    return 0;
}
