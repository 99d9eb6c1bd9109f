// One step of Adam.
#include <cuda_runtime.h>
#include <cmath>

__global__ void adam(float *p, float *m, float *v, const float *g, float b1, float b2, float eps, float lr, float c1,
                     float c2, size_t n)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const float grad = g[i];
        m[i] = b1 * m[i] + (1.f - b1) * grad;
        v[i] = b2 * v[i] + (1.f - b2) * grad * grad;
        p[i] = p[i] - lr * (m[i] / c1) / (sqrtf(v[i] / c2) + eps);
    }
}

int main()
{
    const size_t n = 3 * 1024 * 1024;
    float *p, *m, *v, *g;
    cudaMalloc((void **)&p, n * sizeof(float));
    cudaMalloc((void **)&m, n * sizeof(float));
    cudaMalloc((void **)&v, n * sizeof(float));
    cudaMalloc((void **)&g, n * sizeof(float));
    for (int t = 1; t <= 10; t++) {
        float c1 = 1.f - powf(0.9f, t), c2 = 1.f - powf(0.999f, t);
        adam<<<1024, 256>>>(p, m, v, g, 0.9f, 0.999f, 1e-8f, 1e-3f, c1, c2, n);
    }
    cudaDeviceSynchronize();
    return 0;
}
