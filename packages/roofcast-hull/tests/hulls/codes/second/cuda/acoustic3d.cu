// Acoustic wave, fourth order in space.
#include <cuda_runtime.h>
#include <utility>

#define DIM 192
#define AT(z, y, x) (((z) * DIM + (y)) * DIM + (x))

__global__ void propagate(const float *__restrict__ p, float *__restrict__ next, const float *__restrict__ vel2)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= 2 && y >= 2 && z >= 2 && x < DIM - 2 && y < DIM - 2 && z < DIM - 2) {
        const float c0 = -7.5f, c1 = 1.3333333f, c2 = -0.083333333f;
        float lap = c0 * p[AT(z, y, x)];
        lap += c1 * (p[AT(z, y, x - 1)] + p[AT(z, y, x + 1)] + p[AT(z, y - 1, x)] + p[AT(z, y + 1, x)] +
                     p[AT(z - 1, y, x)] + p[AT(z + 1, y, x)]);
        lap += c2 * (p[AT(z, y, x - 2)] + p[AT(z, y, x + 2)] + p[AT(z, y - 2, x)] + p[AT(z, y + 2, x)] +
                     p[AT(z - 2, y, x)] + p[AT(z + 2, y, x)]);
        next[AT(z, y, x)] = 2.0f * p[AT(z, y, x)] - next[AT(z, y, x)] + vel2[AT(z, y, x)] * lap;
    }
}

int main()
{
    const size_t bytes = (size_t)DIM * DIM * DIM * sizeof(float);
    float *p, *q, *v;
    cudaMalloc(&p, bytes);
    cudaMalloc(&q, bytes);
    cudaMalloc(&v, bytes);
    dim3 b(32, 4, 2), g(DIM / 32, DIM / 4, DIM / 2);
    for (int t = 0; t < 100; t++) {
        propagate<<<g, b>>>(p, q, v);
        std::swap(p, q);
    }
    cudaDeviceSynchronize();
    return 0;
}
