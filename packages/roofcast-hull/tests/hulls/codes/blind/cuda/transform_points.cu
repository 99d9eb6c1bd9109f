#include <cuda_runtime.h>

struct Mat4 {
    float m[4][4];
};

__device__ float row_times(const float r[4], float4 p) { return r[0] * p.x + r[1] * p.y + r[2] * p.z + r[3] * p.w; }

__global__ void transform(const float4 *in, float4 *out, int n, Mat4 t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = in[i], q;
    q.x = row_times(t.m[0], p);
    q.y = row_times(t.m[1], p);
    q.z = row_times(t.m[2], p);
    q.w = row_times(t.m[3], p);
    out[i] = q;
}

int main()
{
    const int n = 640000;
    Mat4 t = {{{1, 0, 0, 5}, {0, 1, 0, 6}, {0, 0, 1, 7}, {0, 0, 0, 1}}};
    float4 *in, *out;
    cudaMalloc(&in, n * sizeof(float4));
    cudaMalloc(&out, n * sizeof(float4));
    transform<<<n / 128, 128>>>(in, out, n, t);
    cudaDeviceSynchronize();
    return 0;
}
