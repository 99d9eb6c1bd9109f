// Colour correction of three planes in place, with a matrix in constant memory.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__constant__ float ccm[9];

__device__ __forceinline__ float saturate01(float v) { return fminf(fmaxf(v, 0.0f), 1.0f); }

__global__ void apply_ccm(float* red, float* green, float* blue, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float r = red[i], g = green[i], b = blue[i];
        red[i] = saturate01(ccm[0] * r + ccm[1] * g + ccm[2] * b);
        green[i] = saturate01(ccm[3] * r + ccm[4] * g + ccm[5] * b);
        blue[i] = saturate01(ccm[6] * r + ccm[7] * g + ccm[8] * b);
    }
}

int main()
{
    const int width = 1600, height = 1200;
    const int count = width * height;
    const float m[9] = {1.6f, -0.4f, -0.2f, -0.3f, 1.5f, -0.2f, 0.0f, -0.6f, 1.6f};
    cudaMemcpyToSymbol(ccm, m, sizeof(m));
    std::vector<float> h(count, 0.25f);
    float* planes[3];
    for (int p = 0; p < 3; ++p) {
        cudaMalloc(&planes[p], count * sizeof(float));
        cudaMemcpy(planes[p], h.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    }
    apply_ccm<<<(count + 511) / 512, 512>>>(planes[0], planes[1], planes[2], count);
    cudaMemcpy(h.data(), planes[2], count * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    for (int p = 0; p < 3; ++p) cudaFree(planes[p]);
}
