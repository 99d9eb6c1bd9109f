// Non-local means denoising of a grey image, search window 7x7, patches 5x5, edges clamped.
#include <cassert>
#include <cstdio>
#include <cstdlib>

namespace nlm {

template <int SEARCH, int PATCH>
__global__ void denoise(const float *__restrict__ src, float *__restrict__ dst, int height, int width, float negInvH2)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    auto pixel = [=](int yy, int xx) {
        yy = min(max(yy, 0), height - 1);
        xx = min(max(xx, 0), width - 1);
        return src[yy * width + xx];
    };

    float sum = 0.0f, weights = 0.0f;
    for (int sy = -SEARCH; sy <= SEARCH; ++sy) {
        for (int sx = -SEARCH; sx <= SEARCH; ++sx) {
            float distance = 0.0f;
            for (int py = -PATCH; py <= PATCH; ++py) {
                for (int px = -PATCH; px <= PATCH; ++px) {
                    const float d = pixel(y + py, x + px) - pixel(y + sy + py, x + sx + px);
                    distance += d * d;
                }
            }
            const float w = __expf(distance * negInvH2);
            sum += w * pixel(y + sy, x + sx);
            weights += w;
        }
    }
    dst[y * width + x] = sum / weights;
}

} // namespace nlm

int main()
{
    const int H = 720, W = 1080;
    const size_t bytes = sizeof(float) * H * W;
    float *image;
    float *result;
    assert(cudaMallocManaged(&image, bytes) == cudaSuccess);
    assert(cudaMallocManaged(&result, bytes) == cudaSuccess);
    for (int i = 0; i < H * W; ++i) image[i] = (i % W) / float(W) + 0.1f * (rand() / float(RAND_MAX) - 0.5f);

    dim3 block(16, 12);
    dim3 grid((W + block.x - 1) / block.x, (H + block.y - 1) / block.y);
    const float h = 0.35f;
    nlm::denoise<3, 2><<<grid, block>>>(image, result, H, W, -1.0f / (h * h));
    cudaDeviceSynchronize();
    printf("%f -> %f\n", image[W * 100 + 100], result[W * 100 + 100]);
    cudaFree(image);
    cudaFree(result);
}
