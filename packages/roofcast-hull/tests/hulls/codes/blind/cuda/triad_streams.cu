#include <cuda_runtime.h>
#define STREAMS 4

__global__ void triad(double *a, const double *b, const double *c, double scalar)
{
    size_t i = (size_t)blockDim.x * blockIdx.x + threadIdx.x;
    a[i] = b[i] + scalar * c[i];
}

int main()
{
    const size_t n = 1 << 24, chunk = n / STREAMS;
    double *h, *a, *b, *c;
    cudaMallocHost(&h, n * sizeof(double));
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&c, n * sizeof(double));
    cudaStream_t stream[STREAMS];
    for (int s = 0; s < STREAMS; s++) cudaStreamCreate(&stream[s]);
    for (int s = 0; s < STREAMS; s++) {
        size_t o = s * chunk;
        cudaMemcpyAsync(b + o, h + o, chunk * sizeof(double), cudaMemcpyHostToDevice, stream[s]);
        triad<<<chunk / 512, 512, 0, stream[s]>>>(a + o, b + o, c + o, 3.0);
        cudaMemcpyAsync(h + o, a + o, chunk * sizeof(double), cudaMemcpyDeviceToHost, stream[s]);
    }
    cudaDeviceSynchronize();
    return 0;
}
