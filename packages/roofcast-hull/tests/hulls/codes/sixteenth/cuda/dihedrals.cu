// Proper torsions of a molecular force field: energy of each quadruple of atoms
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Torsion { float k, n, phase; };
struct Vec3 { float x, y, z; };

__device__ inline Vec3 operator-(float4 a, float4 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ inline Vec3 cross(Vec3 a, Vec3 b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__device__ inline float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__global__ void torsion_energy(int count, const int4 *__restrict__ atoms, const Torsion *__restrict__ param,
                               const float4 *__restrict__ pos, float *__restrict__ energy)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count) return;
    int4 q = atoms[t];
    float4 p0 = pos[q.x], p1 = pos[q.y], p2 = pos[q.z], p3 = pos[q.w];
    Vec3 b1 = p1 - p0, b2 = p2 - p1, b3 = p3 - p2;
    Vec3 m = cross(b1, b2);
    Vec3 n = cross(b2, b3);
    float cosine = dot(m, n);
    float sine = sqrtf(dot(b2, b2)) * dot(b1, n);
    float phi = atan2f(sine, cosine);
    Torsion c = param[t];
    energy[t] = c.k * (1.0f + cosf(c.n * phi - c.phase));
}

int main()
{
    const int ATOMS = 60000, TORSIONS = 200000;
    int4 *atoms; Torsion *par; float4 *pos; float *e;
    cudaMallocManaged(&atoms, TORSIONS * sizeof(int4));
    cudaMallocManaged(&par, TORSIONS * sizeof(Torsion));
    cudaMallocManaged(&pos, ATOMS * sizeof(float4));
    cudaMallocManaged(&e, TORSIONS * sizeof(float));
    srand(3);
    for (int i = 0; i < ATOMS; i++)
        pos[i] = make_float4(rand() / (float)RAND_MAX, rand() / (float)RAND_MAX, rand() / (float)RAND_MAX, 1.0f);
    for (int i = 0; i < TORSIONS; i++) {
        int a = rand() % (ATOMS - 8);
        atoms[i] = make_int4(a, a + 1, a + 3, a + 6);
        par[i] = {0.5f + i % 3, 1.0f + i % 4, 0.1f * (i % 31)};
    }
    torsion_energy<<<(TORSIONS + 127) / 128, 128>>>(TORSIONS, atoms, par, pos, e);
    cudaDeviceSynchronize();
    printf("%f\n", e[9]);
    return 0;
}
