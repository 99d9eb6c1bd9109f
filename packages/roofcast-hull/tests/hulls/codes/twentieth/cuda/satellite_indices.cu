// vegetation index over one Sentinel tile, then greenness per scan line
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

static const int ROWS = 2048;
static const int COLS = 3000;

__global__ void msavi(const uint16_t *__restrict__ red, const uint16_t *__restrict__ nir, float *__restrict__ idx, int rows, int cols)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= cols || r >= rows) return;
    const size_t p = (size_t)r * cols + c;
    float rr = red[p] * 1e-4f;
    float nn = nir[p] * 1e-4f;
    float b = 2.f * nn + 1.f;
    float d = b * b - 8.f * (nn - rr);
    idx[p] = 0.5f * (b - sqrtf(fmaxf(d, 0.f)));
}

// one warp walks one line
__global__ void green_per_line(const float *idx, float *green, int rows, int cols, float thr)
{
    int line = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (line >= rows) return;
    float s = 0.f;
    for (int c = lane; c < cols; c += 32) {
        float v = idx[(size_t)line * cols + c];
        s += v > thr ? v : 0.f;
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
    if (lane == 0) green[line] = s;
}

int main()
{
    const size_t n = (size_t)ROWS * COLS;
    std::vector<uint16_t> hr(n), hn(n);
    for (size_t i = 0; i < n; i++) { hr[i] = 400 + (i * 2654435761u >> 16) % 2500; hn[i] = 900 + (i * 40503u >> 7) % 5000; }
    uint16_t *red, *nir; float *idx, *green;
    cudaMalloc(&red, n * 2); cudaMalloc(&nir, n * 2);
    cudaMalloc(&idx, n * sizeof(float)); cudaMalloc(&green, ROWS * sizeof(float));
    cudaMemcpy(red, hr.data(), n * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(nir, hn.data(), n * 2, cudaMemcpyHostToDevice);
    dim3 b(32, 8), g((COLS + 31) / 32, (ROWS + 7) / 8);
    msavi<<<g, b>>>(red, nir, idx, ROWS, COLS);
    green_per_line<<<ROWS * 32 / 256, 256>>>(idx, green, ROWS, COLS, 0.3f);
    std::vector<float> out(ROWS);
    cudaMemcpy(out.data(), green, ROWS * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", out[17]);
    return 0;
}
