// Many tridiagonal systems, a thread each, interleaved.
#include <cuda_runtime.h>

__global__ void thomas(const float *a, const float *b, float *c, float *d, int n, int systems)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    c[s] = c[s] / b[s];
    d[s] = d[s] / b[s];
    for (int k = 1; k < n; k++) {
        int at = k * systems + s;
        int before = at - systems;
        float m = 1.0f / (b[at] - a[at] * c[before]);
        c[at] = c[at] * m;
        d[at] = (d[at] - a[at] * d[before]) * m;
    }
    for (int k = n - 2; k >= 0; k--) {
        int at = k * systems + s;
        d[at] -= c[at] * d[at + systems];
    }
}

int main()
{
    const int n = 128, systems = 65536;
    float *a, *b, *c, *d;
    cudaMalloc(&a, sizeof(float) * n * systems);
    cudaMalloc(&b, sizeof(float) * n * systems);
    cudaMalloc(&c, sizeof(float) * n * systems);
    cudaMalloc(&d, sizeof(float) * n * systems);
    thomas<<<systems / 128, 128>>>(a, b, c, d, n, systems);
    cudaDeviceSynchronize();
    return 0;
}
