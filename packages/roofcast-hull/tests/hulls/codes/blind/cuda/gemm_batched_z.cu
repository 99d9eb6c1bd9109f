#include <cuda_runtime.h>

__global__ void bmm(const float *a, const float *b, float *c, int m, int n, int k)
{
    const float *pa = a + (size_t)blockIdx.z * m * k;
    const float *pb = b + (size_t)blockIdx.z * k * n;
    float *pc = c + (size_t)blockIdx.z * m * n;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m || j >= n) return;
    float s = 0.f;
    for (int l = 0; l < k; ++l) s += pa[i * k + l] * pb[l * n + j];
    pc[i * n + j] = s;
}

int main()
{
    const int batch = 64, m = 128, k = 96, n = 160;
    float *a, *b, *c;
    cudaMalloc(&a, sizeof(float) * batch * m * k);
    cudaMalloc(&b, sizeof(float) * batch * k * n);
    cudaMalloc(&c, sizeof(float) * batch * m * n);
    bmm<<<dim3(n / 32, m / 8, batch), dim3(32, 8, 1)>>>(a, b, c, m, n, k);
    cudaDeviceSynchronize();
}
