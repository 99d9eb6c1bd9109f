#include <cuda_runtime.h>

__global__ void element_heat(const int4 *__restrict__ conn, const float2 *__restrict__ xy, const float *__restrict__ temp,
                             float *__restrict__ heat, float rho_c, int elements)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= elements) return;
    int4 n = conn[e];
    float2 p0 = xy[n.x], p1 = xy[n.y], p2 = xy[n.z], p3 = xy[n.w];
    float area = 0.5f * ((p2.x - p0.x) * (p3.y - p1.y) - (p3.x - p1.x) * (p2.y - p0.y));
    float mean = 0.25f * (temp[n.x] + temp[n.y] + temp[n.z] + temp[n.w]);
    heat[e] = rho_c * area * mean;
}

int main()
{
    const int side = 1000;
    const int elements = side * side, nodes = (side + 1) * (side + 1);
    int4 *conn;
    float2 *xy;
    float *temp, *heat;
    cudaMalloc(&conn, elements * sizeof(int4));
    cudaMalloc(&xy, nodes * sizeof(float2));
    cudaMalloc(&temp, nodes * sizeof(float));
    cudaMalloc(&heat, elements * sizeof(float));
    element_heat<<<(elements + 127) / 128, 128>>>(conn, xy, temp, heat, 4.2e6f, elements);
    cudaDeviceSynchronize();
    return 0;
}
