// Cholesky of many 6x6 matrices, a thread each, in place; matrices are interleaved so that threads read side by side.
#include <cuda_runtime.h>

template <int N, typename T>
__global__ void cholesky_interleaved(T *a, int count)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count) return;
    for (int j = 0; j < N; j++) {
        T d = a[(j * N + j) * count + m];
        for (int k = 0; k < j; k++) {
            T l = a[(j * N + k) * count + m];
            d -= l * l;
        }
        d = sqrt(d);
        a[(j * N + j) * count + m] = d;
        for (int i = j + 1; i < N; i++) {
            T s = a[(i * N + j) * count + m];
            for (int k = 0; k < j; k++) s -= a[(i * N + k) * count + m] * a[(j * N + k) * count + m];
            a[(i * N + j) * count + m] = s / d;
        }
    }
}

int main()
{
    const int count = 65536;
    double *a;
    cudaMalloc(&a, sizeof(double) * 36 * count);
    cholesky_interleaved<6><<<count / 128, 128>>>(a, count);
    cudaDeviceSynchronize();
    return 0;
}
