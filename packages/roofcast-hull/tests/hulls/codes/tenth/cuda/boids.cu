// Flocking (separation, alignment, cohesion), all pairs, tiles of positions and velocities in shared memory.
// By hand: 33 operations a pair, 37 a boid.
// Verified: operations of a unit with self-counting numbers in Python; compiled with nvcc, not run.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                    \
    if ((call) != cudaSuccess) {                                                       \
        fprintf(stderr, "CUDA error at line %d: %s\n", __LINE__, cudaGetErrorString(cudaGetLastError())); \
        return 1;                                                                      \
    }

#define BLOCK 256

struct Params {
    float neg_inv_r2;   // -1 / radius^2
    float eps;
    float k_sep, k_align, k_coh;
    float dt;
};

__global__ void flock(const float4* pos, const float4* vel, float4* new_pos, float4* new_vel, int n, Params p)
{
    __shared__ float4 sp[BLOCK];
    __shared__ float4 sv[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 xi = pos[i];
    float4 vi = vel[i];

    float3 sep = make_float3(0.f, 0.f, 0.f);
    float3 ali = make_float3(0.f, 0.f, 0.f);
    float3 coh = make_float3(0.f, 0.f, 0.f);
    float wsum = 0.f;

    for (int t = 0; t < n / BLOCK; t++) {
        sp[threadIdx.x] = pos[t * BLOCK + threadIdx.x];
        sv[threadIdx.x] = vel[t * BLOCK + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < BLOCK; j++) {
            float dx = sp[j].x - xi.x;
            float dy = sp[j].y - xi.y;
            float dz = sp[j].z - xi.z;
            float d2 = dx * dx + dy * dy + dz * dz + p.eps;
            float inv = rsqrtf(d2);
            float w = __expf(d2 * p.neg_inv_r2);
            float s = inv * inv * inv;
            sep.x -= s * dx;
            sep.y -= s * dy;
            sep.z -= s * dz;
            ali.x += w * sv[j].x;
            ali.y += w * sv[j].y;
            ali.z += w * sv[j].z;
            coh.x += w * dx;
            coh.y += w * dy;
            coh.z += w * dz;
            wsum += w;
        }
        __syncthreads();
    }

    float norm = 1.0f / wsum;
    float ax = p.k_align * (ali.x * norm - vi.x) + p.k_coh * coh.x * norm + p.k_sep * sep.x;
    float ay = p.k_align * (ali.y * norm - vi.y) + p.k_coh * coh.y * norm + p.k_sep * sep.y;
    float az = p.k_align * (ali.z * norm - vi.z) + p.k_coh * coh.z * norm + p.k_sep * sep.z;
    vi.x += p.dt * ax;
    vi.y += p.dt * ay;
    vi.z += p.dt * az;
    xi.x += p.dt * vi.x;
    xi.y += p.dt * vi.y;
    xi.z += p.dt * vi.z;
    new_vel[i] = vi;
    new_pos[i] = xi;
}

int main()
{
    const int n = 16384;
    const size_t bytes = n * sizeof(float4);
    float4* h = (float4*)malloc(bytes);
    float4* hv = (float4*)malloc(bytes);
    for (int i = 0; i < n; i++) {
        h[i] = make_float4(100.f * rand() / RAND_MAX, 100.f * rand() / RAND_MAX, 100.f * rand() / RAND_MAX, 0.f);
        hv[i] = make_float4(1.f * rand() / RAND_MAX, 1.f * rand() / RAND_MAX, 1.f * rand() / RAND_MAX, 0.f);
    }
    float4 *x[2], *v[2];
    for (int b = 0; b < 2; b++) {
        CHECK(cudaMalloc(&x[b], bytes));
        CHECK(cudaMalloc(&v[b], bytes));
    }
    CHECK(cudaMemcpy(x[0], h, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(v[0], hv, bytes, cudaMemcpyHostToDevice));

    Params p = {-1.0f / 25.0f, 1e-3f, 0.8f, 0.3f, 0.05f, 0.02f};
    int cur = 0;
    for (int step = 0; step < 10; step++) {
        flock<<<n / BLOCK, BLOCK>>>(x[cur], v[cur], x[1 - cur], v[1 - cur], n, p);
        cur = 1 - cur;
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, x[cur], bytes, cudaMemcpyDeviceToHost));
    printf("boid 0 at %.3f %.3f %.3f\n", h[0].x, h[0].y, h[0].z);
    for (int b = 0; b < 2; b++) { cudaFree(x[b]); cudaFree(v[b]); }
    free(h);
    free(hv);
    return 0;
}
