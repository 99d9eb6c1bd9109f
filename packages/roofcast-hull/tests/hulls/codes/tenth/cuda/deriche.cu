// Deriche smoothing, the pass down the columns: one thread owns a column, a causal and an anticausal recursion.
// By hand: 7 operations down, 7 up, 2 to join them; the output array keeps the causal half in between.
// Verified: operations of a unit with self-counting numbers in Python; compiled with nvcc, not run.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct DericheCoef {
    float a1, a2, a3, a4;
    float b1, b2;
    float c;
};

static DericheCoef make_coef(float alpha)
{
    const float e = std::exp(-alpha);
    const float k = (1.0f - e) * (1.0f - e) / (1.0f + 2.0f * alpha * e - e * e);
    DericheCoef d;
    d.a1 = k;
    d.a2 = k * e * (alpha - 1.0f);
    d.a3 = k * e * (alpha + 1.0f);
    d.a4 = -k * e * e;
    d.b1 = 2.0f * e;
    d.b2 = -e * e;
    d.c = 1.0f;
    return d;
}

__global__ void deriche_columns(const float* __restrict__ in, float* out, int width, int height, DericheCoef d)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;

    float xm1 = 0.f, ym1 = 0.f, ym2 = 0.f;
    for (int y = 0; y < height; y++) {
        const float cur = in[y * width + x];
        const float y1 = d.a1 * cur + d.a2 * xm1 + d.b1 * ym1 + d.b2 * ym2;
        out[y * width + x] = y1;
        xm1 = cur;
        ym2 = ym1;
        ym1 = y1;
    }

    float xp1 = 0.f, xp2 = 0.f, yp1 = 0.f, yp2 = 0.f;
    for (int y = height - 1; y >= 0; y--) {
        const float y2 = d.a3 * xp1 + d.a4 * xp2 + d.b1 * yp1 + d.b2 * yp2;
        xp2 = xp1;
        xp1 = in[y * width + x];
        yp2 = yp1;
        yp1 = y2;
        out[y * width + x] = d.c * (out[y * width + x] + y2);
    }
}

int main(int argc, char** argv)
{
    int width = 3840, height = 2160;
    float alpha = 0.25f;
    if (argc > 1) alpha = std::atof(argv[1]);

    std::vector<float> img((size_t)width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) img[(size_t)y * width + x] = ((x / 64 + y / 64) & 1) ? 1.0f : 0.0f;

    float *d_in, *d_out;
    cudaMalloc(&d_in, img.size() * sizeof(float));
    cudaMalloc(&d_out, img.size() * sizeof(float));
    cudaMemcpy(d_in, img.data(), img.size() * sizeof(float), cudaMemcpyHostToDevice);

    const int block = 64;
    deriche_columns<<<(width + block - 1) / block, block>>>(d_in, d_out, width, height, make_coef(alpha));
    if (cudaError_t e = cudaGetLastError()) {
        fprintf(stderr, "launch: %s\n", cudaGetErrorString(e));
        return 1;
    }
    if (cudaError_t e = cudaMemcpy(img.data(), d_out, img.size() * sizeof(float), cudaMemcpyDeviceToHost)) {
        fprintf(stderr, "kernel: %s\n", cudaGetErrorString(e));
        return 1;
    }
    printf("%f %f\n", img[0], img[img.size() / 2]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
