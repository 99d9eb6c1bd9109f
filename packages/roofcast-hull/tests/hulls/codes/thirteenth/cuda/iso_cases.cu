// Which of a cell's eight corners lie inside the surface: the case number of marching cubes.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int C = 128;       // cells
constexpr int P = C + 1;     // points

#define AT(i, j, k) v[((z + (i)) * P + (y + (j))) * P + x + (k)]

__global__ void classify(const float* __restrict__ v, unsigned char* __restrict__ cases, float iso)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    unsigned code = 0;
    if (AT(0, 0, 0) > iso) code |= 1u;
    if (AT(0, 0, 1) > iso) code |= 2u;
    if (AT(0, 1, 1) > iso) code |= 4u;
    if (AT(0, 1, 0) > iso) code |= 8u;
    if (AT(1, 0, 0) > iso) code |= 16u;
    if (AT(1, 0, 1) > iso) code |= 32u;
    if (AT(1, 1, 1) > iso) code |= 64u;
    if (AT(1, 1, 0) > iso) code |= 128u;
    cases[(z * C + y) * C + x] = (unsigned char)code;
}

int main()
{
    std::vector<float> h((size_t)P * P * P);
    for (int z = 0; z < P; z++)
        for (int y = 0; y < P; y++)
            for (int x = 0; x < P; x++)
                h[((size_t)z * P + y) * P + x] = sinf(0.1f * x) * cosf(0.08f * y) + 0.01f * z - 0.5f;
    float* v;
    unsigned char* c;
    cudaMalloc(&v, sizeof(float) * P * P * P);
    cudaMalloc(&c, C * C * C);
    cudaMemcpy(v, h.data(), sizeof(float) * h.size(), cudaMemcpyHostToDevice);
    classify<<<dim3(C / 32, C / 8, C), dim3(32, 8)>>>(v, c, 0.0f);
    cudaDeviceSynchronize();
    puts("classified");
    return 0;
}
