// A square cloth of point masses joined by springs to four neighbours: forces, then Verlet.  w of a position: inverse mass.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define SIDE 512
#define TOTAL (SIDE * SIDE)

struct Spring { float rest, stiffness; };

__device__ void pull(float3 &f, const float4 &a, const float4 &b, Spring s)
{
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float len = sqrtf(dx * dx + dy * dy + dz * dz);
    float k = s.stiffness * (len - s.rest) / len;
    f.x += k * dx;
    f.y += k * dy;
    f.z += k * dz;
}

__global__ void cloth_forces(const float4 *pos, float4 *force, Spring s, float weight)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= SIDE || r >= SIDE) return;
    int i = r * SIDE + c;
    float4 p = pos[i];
    float3 f = make_float3(0.f, 0.f, 0.f);
    if (c > 0) pull(f, p, pos[i - 1], s);
    if (c < SIDE - 1) pull(f, p, pos[i + 1], s);
    if (r > 0) pull(f, p, pos[i - SIDE], s);
    if (r < SIDE - 1) pull(f, p, pos[i + SIDE], s);
    f.y -= weight;
    force[i] = make_float4(f.x, f.y, f.z, 0.f);
}

__global__ void cloth_verlet(float4 *pos, float4 *old, const float4 *force, float damp, float dt2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= TOTAL) return;
    float4 p = pos[i], q = old[i], f = force[i];
    const float a = dt2 * p.w;
    float4 n;
    n.x = p.x + (p.x - q.x) * damp + f.x * a;
    n.y = p.y + (p.y - q.y) * damp + f.y * a;
    n.z = p.z + (p.z - q.z) * damp + f.z * a;
    n.w = p.w;
    old[i] = p;
    pos[i] = n;
}

int main()
{
    std::vector<float4> h(TOTAL);
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++)
            h[r * SIDE + c] = make_float4(0.011f * c, 0.f, 0.01f * r, r == 0 ? 0.f : 1.f);
    float4 *pos, *old, *force;
    cudaMalloc(&pos, TOTAL * sizeof(float4));
    cudaMalloc(&old, TOTAL * sizeof(float4));
    cudaMalloc(&force, TOTAL * sizeof(float4));
    cudaMemcpy(pos, h.data(), TOTAL * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(old, h.data(), TOTAL * sizeof(float4), cudaMemcpyHostToDevice);
    const dim3 block(16, 16), grid(SIDE / 16, SIDE / 16);
    for (int step = 0; step < 50; step++) {
        cloth_forces<<<grid, block>>>(pos, force, Spring{0.01f, 800.f}, 9.81f);
        cloth_verlet<<<TOTAL / 256, 256>>>(pos, old, force, 0.995f, 1e-6f);
    }
    float4 last;
    cudaMemcpy(&last, pos + TOTAL - 1, sizeof last, cudaMemcpyDeviceToHost);
    printf("%f %f %f\n", last.x, last.y, last.z);
}
