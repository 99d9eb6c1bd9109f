// Harmonic bending energy of every angle i-j-k in a molecule.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { ATOMS = 131072, ANGLES = 500000 };

__device__ inline float dot3(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ inline float3 minus(float4 a, float4 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }

__global__ void bend(const float4* pos, const int* ia, const int* ja, const int* ka, const float* stiff,
                     const float* rest, float* energy, int n)
{
    int a = threadIdx.x + blockIdx.x * blockDim.x;
    if (a >= n) return;
    float4 mid = pos[ja[a]];
    float3 u = minus(pos[ia[a]], mid);
    float3 w = minus(pos[ka[a]], mid);
    float c = dot3(u, w) * rsqrtf(dot3(u, u) * dot3(w, w));
    c = fminf(1.0f, fmaxf(-1.0f, c));
    float d = acosf(c) - rest[a];
    energy[a] = 0.5f * stiff[a] * d * d;
}

int main()
{
    float4* pos;
    int *i, *j, *k;
    float *s, *r, *e;
    cudaMallocManaged(&pos, ATOMS * sizeof(float4));
    cudaMallocManaged(&i, ANGLES * sizeof(int));
    cudaMallocManaged(&j, ANGLES * sizeof(int));
    cudaMallocManaged(&k, ANGLES * sizeof(int));
    cudaMallocManaged(&s, ANGLES * sizeof(float));
    cudaMallocManaged(&r, ANGLES * sizeof(float));
    cudaMallocManaged(&e, ANGLES * sizeof(float));
    for (int a = 0; a < ATOMS; a++)
        pos[a] = make_float4(rand() % 1000 * 0.01f, rand() % 1000 * 0.01f, a * 0.001f, 0.f);
    for (int a = 0; a < ANGLES; a++) {
        i[a] = rand() % ATOMS;
        j[a] = (i[a] + 1) % ATOMS;
        k[a] = (i[a] + 2) % ATOMS;
        s[a] = 50.f;
        r[a] = 1.9f;
    }
    bend<<<(ANGLES + 127) / 128, 128>>>(pos, i, j, k, s, r, e, ANGLES);
    cudaDeviceSynchronize();
    printf("%f\n", e[3]);
    return 0;
}
