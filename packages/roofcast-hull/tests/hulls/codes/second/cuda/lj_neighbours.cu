// Lennard-Jones forces from lists of neighbours.
#include <cuda_runtime.h>

const int nAtoms = 12288;
const int maxNeighbors = 128;

__global__ void lj_forces(float4 *force, const float4 *pos, const int *neighList, float cutsq, float lj1, float lj2)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    float4 ipos = pos[idx];
    float4 f = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int j = 0; j < maxNeighbors; j++) {
        int jidx = neighList[j * nAtoms + idx];
        float4 jpos = pos[jidx];
        float delx = ipos.x - jpos.x;
        float dely = ipos.y - jpos.y;
        float delz = ipos.z - jpos.z;
        float r2 = delx * delx + dely * dely + delz * delz;
        if (r2 < cutsq) {
            float r2inv = 1.0f / r2;
            float r6inv = r2inv * r2inv * r2inv;
            float strength = r2inv * r6inv * (lj1 * r6inv - lj2);
            f.x += delx * strength;
            f.y += dely * strength;
            f.z += delz * strength;
        }
    }
    force[idx] = f;
}

int main()
{
    float4 *pos, *force;
    int *list;
    cudaMalloc(&pos, nAtoms * sizeof(float4));
    cudaMalloc(&force, nAtoms * sizeof(float4));
    cudaMalloc(&list, nAtoms * maxNeighbors * sizeof(int));
    lj_forces<<<nAtoms / 256, 256>>>(force, pos, list, 16.0f, 1.5f, 2.0f);
    cudaDeviceSynchronize();
    return 0;
}
