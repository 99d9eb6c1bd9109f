// y = alpha A x + beta B x, one thread a row (HIP).
// 4 per matrix element pair + 3 a row, by hand.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(cmd)                                                            \
    {                                                                             \
        hipError_t err = cmd;                                                     \
        if (err != hipSuccess) {                                                  \
            std::fprintf(stderr, "HIP error %s at %d\n", hipGetErrorString(err), __LINE__); \
            std::exit(EXIT_FAILURE);                                              \
        }                                                                         \
    }

__global__ void gesummv(int n, float alpha, float beta, const float *A, const float *B, const float *x, float *y)
{
    const int row = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    if (row < n) {
        float ax = 0.0f;
        float bx = 0.0f;
        for (int col = 0; col < n; col++) {
            ax += A[row * n + col] * x[col];
            bx += B[row * n + col] * x[col];
        }
        y[row] = alpha * ax + beta * bx;
    }
}

int main(int argc, char **argv)
{
    const int n = (argc > 1) ? std::atoi(argv[1]) : 4096;
    const size_t msize = sizeof(float) * n * n, vsize = sizeof(float) * n;
    std::vector<float> A((size_t)n * n), B((size_t)n * n), x(n), y(n);
    for (int i = 0; i < n; i++) {
        x[i] = (float)i / n;
        for (int j = 0; j < n; j++) {
            A[(size_t)i * n + j] = ((float)i * j) / n;
            B[(size_t)i * n + j] = ((float)i + j) / n;
        }
    }
    float *dA, *dB, *dx, *dy;
    HIP_CHECK(hipMalloc((void **)&dA, msize));
    HIP_CHECK(hipMalloc((void **)&dB, msize));
    HIP_CHECK(hipMalloc((void **)&dx, vsize));
    HIP_CHECK(hipMalloc((void **)&dy, vsize));
    HIP_CHECK(hipMemcpy(dA, A.data(), msize, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(dB, B.data(), msize, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(dx, x.data(), vsize, hipMemcpyHostToDevice));

    hipLaunchKernelGGL(gesummv, dim3((n + 255) / 256), dim3(256), 0, 0, n, 43532.0f, 12313.0f, dA, dB, dx, dy);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(y.data(), dy, vsize, hipMemcpyDeviceToHost));
    std::printf("y[1] = %f\n", y[1]);
    return 0;
}
