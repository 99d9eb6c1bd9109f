#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

struct Vec3 {
    float x, y, z;
    __host__ __device__ Vec3(float a = 0, float b = 0, float c = 0) : x(a), y(b), z(c) {}
};

__host__ __device__ inline Vec3 operator+(const Vec3& a, const Vec3& b) { return Vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ inline Vec3 operator*(float s, const Vec3& a) { return Vec3(s * a.x, s * a.y, s * a.z); }
__host__ __device__ inline Vec3 cross(const Vec3& a, const Vec3& b)
{
    return Vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

struct Quat {
    Vec3 v;
    float w;
    __device__ Vec3 rotate(const Vec3& p) const
    {
        Vec3 t = 2.0f * cross(v, p);
        return p + w * t + cross(v, t);
    }
};

// each body turns its own vector
__global__ void rotate_bodies(const Quat* q, const Vec3* in, Vec3* out, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) out[i] = q[i].rotate(in[i]);
}

int main()
{
    const int n = 200000;
    std::vector<Quat> hq(n);
    std::vector<Vec3> hv(n, Vec3(1, 2, 3));
    for (auto& q : hq) {
        q.v = Vec3(0, 0, 0.6f);
        q.w = 0.8f;
    }
    Quat* q;
    Vec3 *in, *out;
    cudaMalloc(&q, n * sizeof(Quat));
    cudaMalloc(&in, n * sizeof(Vec3));
    cudaMalloc(&out, n * sizeof(Vec3));
    cudaMemcpy(q, hq.data(), n * sizeof(Quat), cudaMemcpyHostToDevice);
    cudaMemcpy(in, hv.data(), n * sizeof(Vec3), cudaMemcpyHostToDevice);
    rotate_bodies<<<(n + 255) / 256, 256>>>(q, in, out, n);
    cudaMemcpy(hv.data(), out, n * sizeof(Vec3), cudaMemcpyDeviceToHost);
    printf("%f %f %f\n", hv[0].x, hv[0].y, hv[0].z);
    cudaFree(q);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
