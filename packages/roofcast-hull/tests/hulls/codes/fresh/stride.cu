#include <cuda_runtime.h>

template <typename T>
__global__ void axpy(int n, T a, const T *x, T *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = a * x[i] + y[i];
}

int main() {
    int devId = 0, numSMs;
    cudaDeviceGetAttribute(&numSMs, cudaDevAttrMultiProcessorCount, devId);
    const int N = 1 << 24;
    double *x, *y;
    cudaMallocManaged(&x, N * sizeof(double));
    cudaMallocManaged(&y, N * sizeof(double));
    axpy<double><<<32 * numSMs, 256>>>(N, 2.0, x, y);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
}
