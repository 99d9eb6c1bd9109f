// Density of fluid particles, from cells of a sorted list.
#include <cuda_runtime.h>

__global__ void sph_density(const float3 *pos, const int *cell_start, const int *cell_end, float *density, int n, int cells_x,
                            float radius, float mass)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 p = pos[i];
    int cx = (int)(p.x / radius), cy = (int)(p.y / radius);
    float rho = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int c = (cy + dy) * cells_x + cx + dx;
            int end = cell_end[c];
            for (int j = cell_start[c]; j < end; j++) {
                float ax = p.x - pos[j].x, ay = p.y - pos[j].y, az = p.z - pos[j].z;
                float d = radius * radius - (ax * ax + ay * ay + az * az);
                if (d > 0.0f) rho += mass * d * d * d;
            }
        }
    density[i] = rho;
}

int main()
{
    const int n = 100000, cells = 64;
    float3 *pos;
    int *start, *end;
    float *density;
    cudaMalloc(&pos, n * sizeof(float3));
    cudaMalloc(&start, cells * cells * sizeof(int));
    cudaMalloc(&end, cells * cells * sizeof(int));
    cudaMalloc(&density, n * sizeof(float));
    sph_density<<<(n + 127) / 128, 128>>>(pos, start, end, density, n, cells, 0.1f, 0.02f);
    cudaDeviceSynchronize();
    return 0;
}
