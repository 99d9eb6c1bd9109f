#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

struct Vec3 {
    float x, y, z;
    __host__ __device__ Vec3 operator-(const Vec3 &o) const { return {x - o.x, y - o.y, z - o.z}; }
    __host__ __device__ Vec3 operator*(float s) const { return {x * s, y * s, z * s}; }
};

__device__ inline Vec3 cross(const Vec3 &a, const Vec3 &b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__device__ inline float dot(const Vec3 &a, const Vec3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__global__ void face_normals(const Vec3 *__restrict__ vertex, const int3 *__restrict__ face,
                             Vec3 *__restrict__ normal, int faces)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= faces) return;
    const int3 t = face[f];
    const Vec3 a = vertex[t.x];
    const Vec3 n = cross(vertex[t.y] - a, vertex[t.z] - a);
    normal[f] = n * rsqrtf(dot(n, n) + 1e-20f);
}

__global__ void lambert_faces(const Vec3 *__restrict__ normal, const float *__restrict__ albedo,
                              float *__restrict__ shade, Vec3 light, float ambient, float diffuse, int faces)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f < faces)
        shade[f] = albedo[f] * (ambient + diffuse * fmaxf(dot(normal[f], light), 0.0f));
}

int main()
{
    const int nx = 1000, ny = 500;
    const int vertices = (nx + 1) * (ny + 1), faces = 2 * nx * ny;
    std::vector<Vec3> v(vertices);
    std::vector<int3> t(faces);
    std::vector<float> alb(faces, 0.8f);
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i <= nx; i++)
            v[j * (nx + 1) + i] = {(float)i, (float)j, 5.0f * sinf(0.05f * i) * cosf(0.04f * j)};
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int q = j * (nx + 1) + i;
            t[2 * (j * nx + i)] = make_int3(q, q + 1, q + nx + 1);
            t[2 * (j * nx + i) + 1] = make_int3(q + 1, q + nx + 2, q + nx + 1);
        }
    Vec3 *dv, *dn;
    int3 *dt;
    float *da, *ds;
    cudaMalloc(&dv, vertices * sizeof(Vec3));
    cudaMalloc(&dn, faces * sizeof(Vec3));
    cudaMalloc(&dt, faces * sizeof(int3));
    cudaMalloc(&da, faces * sizeof(float));
    cudaMalloc(&ds, faces * sizeof(float));
    cudaMemcpy(dv, v.data(), vertices * sizeof(Vec3), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, t.data(), faces * sizeof(int3), cudaMemcpyHostToDevice);
    cudaMemcpy(da, alb.data(), faces * sizeof(float), cudaMemcpyHostToDevice);
    const int threads = 192, blocks = (faces + threads - 1) / threads;
    face_normals<<<blocks, threads>>>(dv, dt, dn, faces);
    lambert_faces<<<blocks, threads>>>(dn, da, ds, Vec3{0.3f, 0.4f, 0.866f}, 0.2f, 0.8f, faces);
    cudaMemcpy(alb.data(), ds, faces * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", alb[faces / 2]);
    return cudaGetLastError() != cudaSuccess;
}
