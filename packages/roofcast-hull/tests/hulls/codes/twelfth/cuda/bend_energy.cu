// Discrete-shell bending: hinge energies of the inner edges of a cloth mesh of 512 x 512 vertices.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__host__ __device__ inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ inline float3 cross(float3 a, float3 b) {
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// hinge: x, y the edge, z and w the opposite corners
__global__ void hinge_energy(const float3 *pos, const int4 *hinge, const float *stiff, float *energy, int hinges) {
    int h = threadIdx.x + blockIdx.x * blockDim.x;
    if (h < hinges) {
        int4 q = hinge[h];
        float3 a = pos[q.x];
        float3 e = pos[q.y] - a;
        float3 n1 = cross(e, pos[q.z] - a);
        float3 n2 = cross(pos[q.w] - a, e);
        float len2 = dot(n1, n1) * dot(n2, n2);
        float cosine = dot(n1, n2) * rsqrtf(len2 + 1e-12f);
        energy[h] = stiff[h] * (1.0f - cosine) * dot(e, e);
    }
}

int main() {
    const int side = 512, verts = side * side, hinges = (side - 1) * (side - 1);
    std::vector<float3> p(verts);
    std::vector<int4> q(hinges);
    std::vector<float> k(hinges, 0.02f);
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) p[j * side + i] = make_float3(i * .01f, j * .01f, .001f * ((i * 7 + j * 13) % 11));
    for (int j = 0; j < side - 1; j++)
        for (int i = 0; i < side - 1; i++) {
            int v = j * side + i;
            q[j * (side - 1) + i] = make_int4(v + 1, v + side, v, v + side + 1);
        }
    float3 *dp; int4 *dq; float *dk, *de;
    cudaMalloc(&dp, verts * sizeof(float3));
    cudaMalloc(&dq, hinges * sizeof(int4));
    cudaMalloc(&dk, hinges * sizeof(float));
    cudaMalloc(&de, hinges * sizeof(float));
    cudaMemcpy(dp, p.data(), verts * sizeof(float3), cudaMemcpyHostToDevice);
    cudaMemcpy(dq, q.data(), hinges * sizeof(int4), cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k.data(), hinges * sizeof(float), cudaMemcpyHostToDevice);
    hinge_energy<<<(hinges + 127) / 128, 128>>>(dp, dq, dk, de, hinges);
    cudaMemcpy(k.data(), de, hinges * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", k[1000]);
}
