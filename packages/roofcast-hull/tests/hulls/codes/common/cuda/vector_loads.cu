#include <cuda_runtime.h>
#include <cstdint>

__global__ void copy_scaled4(const float *__restrict__ in, float *__restrict__ out, float k, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 v = __ldg(reinterpret_cast<const float4 *>(in) + i);
        v.x *= k; v.y *= k; v.z *= k; v.w *= k;
        reinterpret_cast<float4 *>(out)[i] = v;
    }
}

__global__ void grey_from_uchar4(const uchar4 *rgba, unsigned char *grey, int width, int height)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < width && y < height) {
        uchar4 p = rgba[y * width + x];
        grey[y * width + x] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
    }
}

__global__ void complex_rotate(float2 *z, const float2 *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 a = z[i], b = w[i];
    z[i] = make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// eight nibbles in a word
__global__ void unpack_nibbles(const uint32_t *words, int8_t *out, int nwords)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nwords) return;
    uint32_t w = words[i];
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = (int8_t)((w >> (4 * k)) & 0xF) - 8;
}

__constant__ float rot[12];
__global__ void affine_points(const float3 *p, float3 *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 a = p[i];
    q[i].x = rot[0] * a.x + rot[1] * a.y + rot[2] * a.z + rot[3];
    q[i].y = rot[4] * a.x + rot[5] * a.y + rot[6] * a.z + rot[7];
    q[i].z = rot[8] * a.x + rot[9] * a.y + rot[10] * a.z + rot[11];
}

struct Body { float3 pos; float3 vel; float mass; };
__global__ void drift(Body *bodies, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Body *b = &bodies[i];
    b->pos.x += b->vel.x * dt;
    b->pos.y += b->vel.y * dt;
    b->pos.z += b->vel.z * dt;
}

int main()
{
    const int n = 1 << 22;
    float *in, *out;
    uchar4 *rgba;
    unsigned char *grey;
    float2 *z, *w;
    uint32_t *words;
    int8_t *bytes;
    float3 *p, *q;
    Body *bodies;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    copy_scaled4<<<n / 4 / 256, 256>>>(in, out, 1.5f, n / 4);
    cudaMalloc(&rgba, 1920 * 1080 * sizeof(uchar4));
    cudaMalloc(&grey, 1920 * 1080);
    dim3 b(32, 8), g((1920 + 31) / 32, (1080 + 7) / 8);
    grey_from_uchar4<<<g, b>>>(rgba, grey, 1920, 1080);
    cudaMalloc(&z, 500000 * sizeof(float2));
    cudaMalloc(&w, 500000 * sizeof(float2));
    complex_rotate<<<(500000 + 127) / 128, 128>>>(z, w, 500000);
    cudaMalloc(&words, 262144 * 4);
    cudaMalloc(&bytes, 262144 * 8);
    unpack_nibbles<<<1024, 256>>>(words, bytes, 262144);
    cudaMalloc(&p, 300000 * sizeof(float3));
    cudaMalloc(&q, 300000 * sizeof(float3));
    affine_points<<<(300000 + 255) / 256, 256>>>(p, q, 300000);
    cudaMalloc(&bodies, 100000 * sizeof(Body));
    drift<<<(100000 + 255) / 256, 256>>>(bodies, 100000, 0.01f);
    cudaDeviceSynchronize();
}
