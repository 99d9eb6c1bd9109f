// Optical flow, one sweep.
#include <cuda_runtime.h>
#include <cstdio>
#include <utility>
#include <vector>

__device__ float smooth(const float* f, int y, int x, int h, int w)
{
    const int up = max(y - 1, 0) * w, mid = y * w, down = min(y + 1, h - 1) * w;
    const int l = max(x - 1, 0), r = min(x + 1, w - 1);
    return (f[mid + l] + f[mid + r] + f[up + x] + f[down + x]) * (1.0f / 6.0f)
         + (f[up + l] + f[up + r] + f[down + l] + f[down + r]) * (1.0f / 12.0f);
}

__global__ void hs_sweep(const float* u, const float* v, const float* ix, const float* iy, const float* it,
                         float* u_new, float* v_new, float alpha2, int h, int w)
{
    const int x = blockDim.x * blockIdx.x + threadIdx.x;
    const int y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int i = y * w + x;
    const float ua = smooth(u, y, x, h, w);
    const float va = smooth(v, y, x, h, w);
    const float gx = ix[i], gy = iy[i];
    const float t = (gx * ua + gy * va + it[i]) / (alpha2 + gx * gx + gy * gy);
    u_new[i] = ua - gx * t;
    v_new[i] = va - gy * t;
}

int main()
{
    const int h = 436, w = 1024, n = h * w;
    std::vector<float> host(n, 0.1f);
    float* field[7];
    for (auto& f : field) {
        cudaMalloc(&f, n * sizeof(float));
        cudaMemcpy(f, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    }
    dim3 threads(32, 8), blocks(w / 32, (h + 7) / 8);
    float *u = field[0], *v = field[1], *un = field[5], *vn = field[6];
    for (int sweep = 0; sweep < 60; ++sweep) {
        hs_sweep<<<blocks, threads>>>(u, v, field[2], field[3], field[4], un, vn, 100.0f, h, w);
        std::swap(u, un);
        std::swap(v, vn);
    }
    cudaMemcpy(host.data(), u, n * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%f\n", host[n / 2]);
    for (auto f : field) cudaFree(f);
    return 0;
}
