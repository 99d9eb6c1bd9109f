// Which points lie inside of a polygon.
#include <cuda_runtime.h>

#define VERTICES 100
__constant__ float2 d_vertices[VERTICES];

template <int block_size_x>
__global__ void inside(int *bitmap, const float2 *points, int n)
{
    int i = blockIdx.x * block_size_x + threadIdx.x;
    if (i < n) {
        int c = 0;
        float2 p = points[i];
        int k = VERTICES - 1;
        for (int j = 0; j < VERTICES; k = j++) {
            float2 vj = d_vertices[j];
            float2 vk = d_vertices[k];
            float slope = (vk.x - vj.x) / (vk.y - vj.y);
            if (((vj.y > p.y) != (vk.y > p.y)) && (p.x < slope * (p.y - vj.y) + vj.x)) {
                c = !c;
            }
        }
        bitmap[i] = c;
    }
}

int main()
{
    const int n = 1 << 20;
    float2 *points, vertices[VERTICES] = {};
    int *bitmap;
    cudaMalloc(&points, n * sizeof(float2));
    cudaMalloc(&bitmap, n * sizeof(int));
    cudaMemcpyToSymbol(d_vertices, vertices, VERTICES * sizeof(float2));
    inside<256><<<n / 256, 256>>>(bitmap, points, n);
    cudaDeviceSynchronize();
    return 0;
}
