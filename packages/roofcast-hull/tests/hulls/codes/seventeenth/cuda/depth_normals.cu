// Organised point cloud from a depth camera, with normals.
#include <cstdio>
#include <cstdint>
#include <vector>

struct Pinhole { float fx, fy, cx, cy; };

static __device__ inline float3 operator-(const float3 &a, const float3 &b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
static __device__ inline float3 operator*(float s, const float3 &a) { return make_float3(s * a.x, s * a.y, s * a.z); }
static __device__ inline float dot(const float3 &a, const float3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static __device__ inline float3 cross(const float3 &a, const float3 &b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

const int W = 640, H = 480;

__global__ void unproject(const uint16_t *depth, float3 *pts, Pinhole cam)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y * blockDim.y + threadIdx.y;
    if (u >= W || v >= H) return;
    float z = 0.001f * depth[v * W + u];
    pts[v * W + u] = make_float3((u - cam.cx) * z / cam.fx, (v - cam.cy) * z / cam.fy, z);
}

__global__ void normals(const float3 *pts, float3 *nrm)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y * blockDim.y + threadIdx.y;
    if (u == 0 || v == 0 || u >= W - 1 || v >= H - 1) return;
    const float3 *p = pts + v * W + u;
    float3 n = cross(p[1] - p[-1], p[W] - p[-W]);
    nrm[v * W + u] = rsqrtf(dot(n, n) + 1e-20f) * n;
}

int main()
{
    std::vector<uint16_t> depth(W * H);
    for (int i = 0; i < W * H; i++) depth[i] = 900 + (i % W) + (i / W) / 2;
    uint16_t *d; float3 *p, *n;
    cudaMalloc(&d, depth.size() * sizeof(uint16_t));
    cudaMalloc(&p, W * H * sizeof(float3));
    cudaMalloc(&n, W * H * sizeof(float3));
    cudaMemcpy(d, depth.data(), depth.size() * sizeof(uint16_t), cudaMemcpyHostToDevice);
    dim3 b(32, 4), g(W / 32, H / 4);
    Pinhole cam{525.f, 525.f, 319.5f, 239.5f};
    unproject<<<g, b>>>(d, p, cam);
    normals<<<g, b>>>(p, n);
    float3 one;
    cudaMemcpy(&one, n + 50 * W + 50, sizeof one, cudaMemcpyDeviceToHost);
    printf("%f %f %f\n", one.x, one.y, one.z);
}
