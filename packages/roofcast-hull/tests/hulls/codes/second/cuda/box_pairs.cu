// All pairs inside each box of a cell list.
#include <cuda_runtime.h>

struct Settings { float alpha2; int boxes; };

static const int PER_BOX = 64;

__global__ void box_forces(const float4* __restrict__ particles, float4* __restrict__ out, Settings s)
{
    __shared__ float4 mine[PER_BOX];
    const int box = blockIdx.x;
    const int t = threadIdx.x;
    mine[t] = particles[box * PER_BOX + t];
    __syncthreads();

    const float4 me = mine[t];
    const float twice = 2.0f * s.alpha2;
    float fx = 0.f, fy = 0.f, fz = 0.f, energy = 0.f;
    for (int j = 0; j < PER_BOX; ++j) {
        const float dx = me.x - mine[j].x;
        const float dy = me.y - mine[j].y;
        const float dz = me.z - mine[j].z;
        const float r2 = dx * dx + dy * dy + dz * dz;
        const float e = mine[j].w * expf(-s.alpha2 * r2);
        const float f = twice * e;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
        energy += e;
    }
    out[box * PER_BOX + t] = make_float4(fx, fy, fz, energy);
}

int main()
{
    Settings s;
    s.alpha2 = 0.5f;
    s.boxes = 512;
    float4 *in, *out;
    cudaMalloc(&in, s.boxes * PER_BOX * sizeof(float4));
    cudaMalloc(&out, s.boxes * PER_BOX * sizeof(float4));
    cudaMemset(in, 0, s.boxes * PER_BOX * sizeof(float4));
    box_forces<<<s.boxes, PER_BOX>>>(in, out, s);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
