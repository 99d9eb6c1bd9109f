#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cuda_runtime.h>

struct Box { float3 lo, hi; };
struct Plane { float a, b, c, d; };

__constant__ Plane g_planes[6];

static constexpr int OBJECTS = 1 << 21;

// furthest corner along the normal must be in front of all six planes
__global__ void cull_boxes(const Box* boxes, uint8_t* visible, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Box b = boxes[i];
    bool in = true;
    for (int p = 0; p < 6; ++p) {
        Plane q = g_planes[p];
        float x = q.a > 0.f ? b.hi.x : b.lo.x;
        float y = q.b > 0.f ? b.hi.y : b.lo.y;
        float z = q.c > 0.f ? b.hi.z : b.lo.z;
        in = in && (q.a * x + q.b * y + q.c * z + q.d >= 0.f);
    }
    visible[i] = in ? 1 : 0;
}

__global__ void pick_lod(const float4* spheres, const uint8_t* visible, uint8_t* lod, float3 eye, float k, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 s = spheres[i];
        float dx = s.x - eye.x, dy = s.y - eye.y, dz = s.z - eye.z;
        float pix = k * s.w * rsqrtf(dx * dx + dy * dy + dz * dz);
        float l = fminf(fmaxf(8.f - log2f(pix), 0.f), 7.f);
        lod[i] = visible[i] ? (uint8_t)l : 255;
    }
}

int main()
{
    Plane pl[6] = {{1, 0, 0, 50}, {-1, 0, 0, 50}, {0, 1, 0, 40}, {0, -1, 0, 40}, {0, 0, 1, 0}, {0, 0, -1, 900}};
    cudaMemcpyToSymbol(g_planes, pl, sizeof(pl));
    Box* boxes; float4* sph; uint8_t *vis, *lod;
    cudaMallocManaged(&boxes, OBJECTS * sizeof(Box));
    cudaMallocManaged(&sph, OBJECTS * sizeof(float4));
    cudaMallocManaged(&vis, OBJECTS);
    cudaMallocManaged(&lod, OBJECTS);
    for (int i = 0; i < OBJECTS; ++i) {
        float x = rand() % 200 - 100, y = rand() % 160 - 80, z = rand() % 1000;
        boxes[i].lo = make_float3(x - 1, y - 1, z - 1);
        boxes[i].hi = make_float3(x + 1, y + 1, z + 1);
        sph[i] = make_float4(x, y, z, 1.75f);
    }
    cull_boxes<<<(OBJECTS + 127) / 128, 128>>>(boxes, vis, OBJECTS);
    pick_lod<<<1024, 256>>>(sph, vis, lod, make_float3(0, 0, -5), 1080.f, OBJECTS);
    cudaDeviceSynchronize();
    printf("%d %d\n", vis[7], lod[7]);
}
