// Leaf boxes and surface areas of an indexed mesh (first step of an LBVH build).
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

struct Aabb { float lo[3]; float hi[3]; };

const int GRID = 1024;
const int NVERT = GRID * GRID;
const int NTRI = 2 * (GRID - 1) * (GRID - 1);

__device__ float min3(float a, float b, float c) { return fminf(a, fminf(b, c)); }
__device__ float max3(float a, float b, float c) { return fmaxf(a, fmaxf(b, c)); }

__global__ void leaf_boxes(const int3 *tri, const float4 *pos, Aabb *box, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int3 v = tri[t];
    float4 a = pos[v.x], b = pos[v.y], c = pos[v.z];
    Aabb r;
    r.lo[0] = min3(a.x, b.x, c.x); r.hi[0] = max3(a.x, b.x, c.x);
    r.lo[1] = min3(a.y, b.y, c.y); r.hi[1] = max3(a.y, b.y, c.y);
    r.lo[2] = min3(a.z, b.z, c.z); r.hi[2] = max3(a.z, b.z, c.z);
    box[t] = r;
}

__global__ void half_area(const Aabb *box, float *area, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) {
        float ex = box[t].hi[0] - box[t].lo[0];
        float ey = box[t].hi[1] - box[t].lo[1];
        float ez = box[t].hi[2] - box[t].lo[2];
        area[t] = ex * ey + ey * ez + ez * ex;
    }
}

int main()
{
    int3 *tri; float4 *pos; Aabb *box; float *area;
    cudaMallocManaged(&tri, NTRI * sizeof(int3));
    cudaMallocManaged(&pos, NVERT * sizeof(float4));
    cudaMallocManaged(&box, NTRI * sizeof(Aabb));
    cudaMallocManaged(&area, NTRI * sizeof(float));
    for (int j = 0; j < GRID; j++)
        for (int i = 0; i < GRID; i++)
            pos[j * GRID + i] = make_float4(i, j, 20.f * sinf(i * .01f) * cosf(j * .013f), 1.f);
    for (int j = 0, t = 0; j < GRID - 1; j++)
        for (int i = 0; i < GRID - 1; i++) {
            int q = j * GRID + i;
            tri[t++] = make_int3(q, q + 1, q + GRID);
            tri[t++] = make_int3(q + 1, q + GRID + 1, q + GRID);
        }
    const int blocks = (NTRI + 255) / 256;
    leaf_boxes<<<blocks, 256>>>(tri, pos, box, NTRI);
    half_area<<<blocks, 256>>>(box, area, NTRI);
    cudaDeviceSynchronize();
    printf("%f\n", area[12345]);
    return 0;
}
