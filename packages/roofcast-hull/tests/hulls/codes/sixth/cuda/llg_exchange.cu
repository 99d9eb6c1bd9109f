// Micromagnetics: one Euler step of the Landau-Lifshitz-Gilbert equation with exchange, uniaxial anisotropy and applied field.
#include <cstdio>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

struct vec3 {
    float x, y, z;
};

__host__ __device__ inline vec3 operator+(vec3 a, vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__host__ __device__ inline vec3 operator-(vec3 a, vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__host__ __device__ inline vec3 operator*(float s, vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
__host__ __device__ inline float dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__host__ __device__ inline vec3 cross(vec3 a, vec3 b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

struct Material {
    float exchange;   // 2 A / (mu0 Ms dx^2)
    float anisotropy; // 2 K / (mu0 Ms), easy axis z
    float alpha;
    float step;       // -gamma dt / (1 + alpha^2)
    vec3 applied;
};

constexpr int NZ = 20, NY = 100, NX = 200;

__device__ inline int cell(int z, int y, int x)
{
    // Neumann boundaries: the nearest cell inside
    z = min(max(z, 0), NZ - 1);
    y = min(max(y, 0), NY - 1);
    x = min(max(x, 0), NX - 1);
    return (z * NY + y) * NX + x;
}

__global__ void llgStep(const vec3 *m, vec3 *next, Material mat)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= NX || y >= NY || z >= NZ) return;

    const vec3 c = m[cell(z, y, x)];
    const vec3 around = m[cell(z, y, x - 1)] + m[cell(z, y, x + 1)] + m[cell(z, y - 1, x)] + m[cell(z, y + 1, x)]
                      + m[cell(z - 1, y, x)] + m[cell(z + 1, y, x)];
    vec3 h = mat.exchange * (around - 6.0f * c) + mat.applied;
    h.z += mat.anisotropy * c.z;

    const vec3 mxh = cross(c, h);
    const vec3 torque = mxh + mat.alpha * cross(c, mxh);
    const vec3 moved = c + mat.step * torque;
    next[cell(z, y, x)] = rsqrtf(dot(moved, moved)) * moved;
}

int main()
{
    const int n = NX * NY * NZ;
    std::vector<vec3> h(n);
    for (int i = 0; i < n; ++i) h[i] = (i % NX < NX / 2) ? vec3{0.1f, 0.0f, 0.995f} : vec3{0.1f, 0.0f, -0.995f};
    vec3 *a = nullptr, *b = nullptr;
    cudaMalloc(&a, n * sizeof(vec3));
    cudaMalloc(&b, n * sizeof(vec3));
    cudaMemcpy(a, h.data(), n * sizeof(vec3), cudaMemcpyHostToDevice);

    const Material mat{0.8f, 0.2f, 0.1f, -0.02f, {0.0f, 0.0f, 0.05f}};
    const dim3 block(32, 4, 2);
    const dim3 grid((NX + block.x - 1) / block.x, (NY + block.y - 1) / block.y, (NZ + block.z - 1) / block.z);
    for (int step = 0; step < 500; ++step) {
        llgStep<<<grid, block>>>(a, b, mat);
        std::swap(a, b);
    }
    cudaMemcpy(h.data(), a, n * sizeof(vec3), cudaMemcpyDeviceToHost);
    double mz = 0;
    for (const auto &v : h) mz += v.z;
    std::printf("<mz> = %f (%s)\n", mz / n, cudaGetErrorString(cudaGetLastError()));
    cudaFree(a);
    cudaFree(b);
    return 0;
}
