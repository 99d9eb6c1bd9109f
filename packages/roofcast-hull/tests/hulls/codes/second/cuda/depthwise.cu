// Depthwise convolution, 3 x 3, zeros around.
#include <cuda_runtime.h>

constexpr int N = 8, C = 96, H = 56, W = 56;

__global__ void depthwise3x3(const float *__restrict__ in, const float *__restrict__ weight, float *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int nc = blockIdx.z;
    if (x >= W || y >= H) return;
    int c = nc % C;
    const float *image = in + nc * H * W;
    const float *w = weight + c * 9;
    float acc = 0.f;
    for (int ky = 0; ky < 3; ky++) {
        int yy = y + ky - 1;
        if (yy < 0 || yy >= H) continue;
        for (int kx = 0; kx < 3; kx++) {
            int xx = x + kx - 1;
            if (xx < 0 || xx >= W) continue;
            acc += image[yy * W + xx] * w[ky * 3 + kx];
        }
    }
    out[(nc * H + y) * W + x] = acc;
}

int main()
{
    float *in, *weight, *out;
    cudaMalloc(&in, sizeof(float) * N * C * H * W);
    cudaMalloc(&weight, sizeof(float) * C * 9);
    cudaMalloc(&out, sizeof(float) * N * C * H * W);
    dim3 block(32, 8);
    dim3 grid((W + 31) / 32, (H + 7) / 8, N * C);
    depthwise3x3<<<grid, block>>>(in, weight, out);
    cudaDeviceSynchronize();
    return 0;
}
