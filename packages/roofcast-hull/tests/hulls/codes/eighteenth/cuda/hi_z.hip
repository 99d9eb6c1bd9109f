// Hierarchical depth: reversed z, so the farthest is the smallest. One level from the one below.
#include <hip/hip_runtime.h>
#include <vector>
#include <cstdio>

template <int W, int H>
__global__ void down_level(const float* src, float* dst)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W / 2 || y >= H / 2) return;
    const float* r0 = src + 2 * y * W + 2 * x;
    const float* r1 = r0 + W;
    dst[y * (W / 2) + x] = fminf(fminf(r0[0], r0[1]), fminf(r1[0], r1[1]));
}

__global__ void linear_depth(float* z, float near_plane, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = near_plane / fmaxf(z[i], 1e-6f);
}

int main()
{
    constexpr int W = 3840, H = 2160;
    std::vector<float> h(W * H);
    for (int i = 0; i < W * H; i++) h[i] = 0.001f + (i % 1009) / 1010.f;
    float *l0, *l1;
    hipMalloc(&l0, W * H * sizeof(float));
    hipMalloc(&l1, W * H / 4 * sizeof(float));
    hipMemcpy(l0, h.data(), W * H * sizeof(float), hipMemcpyHostToDevice);
    dim3 t(16, 16);
    down_level<W, H><<<dim3(W / 32, (H / 2 + 15) / 16), t>>>(l0, l1);
    linear_depth<<<(W * H / 4 + 255) / 256, 256>>>(l1, 0.1f, W * H / 4);
    hipDeviceSynchronize();
    float v;
    hipMemcpy(&v, l1 + 55, sizeof v, hipMemcpyDeviceToHost);
    printf("%f\n", v);
    return 0;
}
