// Normalises a signal whose length stands in the file.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void subtract(float *signal, float mean, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) signal[i] -= mean;
}

int main()
{
    FILE *file = fopen("signal.bin", "rb");
    int n = 0;
    if (!file || fread(&n, sizeof n, 1, file) != 1) return 1;
    float *host = (float *)malloc(n * sizeof(float)), *device;
    if (fread(host, sizeof(float), n, file) != (size_t)n) return 1;
    fclose(file);
    float mean = 0.0f;
    for (int i = 0; i < n; i++) mean += host[i] / n;
    cudaMalloc(&device, n * sizeof(float));
    cudaMemcpy(device, host, n * sizeof(float), cudaMemcpyHostToDevice);
    subtract<<<(n + 255) / 256, 256>>>(device, mean, n);
    cudaMemcpy(host, device, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device);
    free(host);
    return 0;
}
