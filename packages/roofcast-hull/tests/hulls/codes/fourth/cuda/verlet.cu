// Velocity Verlet, first half: kick and drift in a periodic box. w of the velocity is the inverse mass, w of the position the charge.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void kick_drift(float4* __restrict__ pos, float4* __restrict__ vel, const float4* __restrict__ force,
                           float dt, float half_dt, float box, float inv_box, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 p = pos[i];
        float4 v = vel[i];
        const float4 f = force[i];
        const float k = half_dt * v.w;
        v.x += k * f.x;
        v.y += k * f.y;
        v.z += k * f.z;
        p.x += dt * v.x;
        p.y += dt * v.y;
        p.z += dt * v.z;
        p.x -= box * floorf(p.x * inv_box);
        p.y -= box * floorf(p.y * inv_box);
        p.z -= box * floorf(p.z * inv_box);
        pos[i] = p;
        vel[i] = v;
    }
}

int main()
{
    const int n = 120000;
    const float box = 48.0f;
    std::vector<float4> h(n);
    for (int i = 0; i < n; ++i) h[i] = make_float4(0.001f * i, 0.5f, 0.25f, 1.0f);
    float4 *pos, *vel, *force;
    cudaMalloc(&pos, n * sizeof(float4));
    cudaMalloc(&vel, n * sizeof(float4));
    cudaMalloc(&force, n * sizeof(float4));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(pos, h.data(), n * sizeof(float4), cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(vel, h.data(), n * sizeof(float4), cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(force, h.data(), n * sizeof(float4), cudaMemcpyHostToDevice, stream);
    kick_drift<<<(n + 255) / 256, 256, 0, stream>>>(pos, vel, force, 0.002f, 0.001f, box, 1.0f / box, n);
    cudaMemcpyAsync(h.data(), pos, n * sizeof(float4), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    printf("%f\n", h[1].x);
    cudaStreamDestroy(stream);
    cudaFree(pos);
    cudaFree(vel);
    cudaFree(force);
    return 0;
}
