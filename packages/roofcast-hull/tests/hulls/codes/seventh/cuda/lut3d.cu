// Operations of one unit of work verified with self-counting numbers in Python; sizes and bytes by arithmetic.
// Colour grading: a 33^3 look-up cube applied to an RGBA float frame with trilinear interpolation.
// By hand: 9 to clamp and scale, 3 fractions, 7 interpolations of 3 channels of 3 = 75 a pixel
// (6 more if the corners' i+1 and min count).
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int LUT = 33;

__device__ inline float3 mix3(float3 a, float3 b, float t)
{
    return make_float3(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t);
}

__device__ inline float3 fetch(const float4 *cube, int r, int g, int b)
{
    float4 c = cube[(b * LUT + g) * LUT + r];
    return make_float3(c.x, c.y, c.z);
}

__global__ void applyLut(const float4 *in, const float4 *cube, float4 *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    float4 px = in[y * width + x];
    float r = fminf(fmaxf(px.x, 0.0f), 1.0f) * (LUT - 1);
    float g = fminf(fmaxf(px.y, 0.0f), 1.0f) * (LUT - 1);
    float b = fminf(fmaxf(px.z, 0.0f), 1.0f) * (LUT - 1);
    int r0 = (int)r, g0 = (int)g, b0 = (int)b;
    int r1 = min(r0 + 1, LUT - 1), g1 = min(g0 + 1, LUT - 1), b1 = min(b0 + 1, LUT - 1);
    float fr = r - r0, fg = g - g0, fb = b - b0;

    float3 c00 = mix3(fetch(cube, r0, g0, b0), fetch(cube, r1, g0, b0), fr);
    float3 c10 = mix3(fetch(cube, r0, g1, b0), fetch(cube, r1, g1, b0), fr);
    float3 c01 = mix3(fetch(cube, r0, g0, b1), fetch(cube, r1, g0, b1), fr);
    float3 c11 = mix3(fetch(cube, r0, g1, b1), fetch(cube, r1, g1, b1), fr);
    float3 c0 = mix3(c00, c10, fg);
    float3 c1 = mix3(c01, c11, fg);
    float3 c = mix3(c0, c1, fb);

    out[y * width + x] = make_float4(c.x, c.y, c.z, px.w);
}

int main()
{
    const int width = 1920, height = 1080;
    const size_t n = (size_t)width * height;
    std::vector<float4> frame(n), cube(LUT * LUT * LUT);
    for (size_t i = 0; i < n; ++i) frame[i] = make_float4((i % width) / (float)width, (i / width) / (float)height, 0.5f, 1.0f);
    for (int b = 0; b < LUT; ++b)
        for (int g = 0; g < LUT; ++g)
            for (int r = 0; r < LUT; ++r)
                cube[(b * LUT + g) * LUT + r] = make_float4(1.0f - r / 32.0f, g / 32.0f, b / 32.0f, 0.0f);

    float4 *dIn, *dOut, *dCube;
    cudaMalloc(&dIn, n * sizeof(float4));
    cudaMalloc(&dOut, n * sizeof(float4));
    cudaMalloc(&dCube, cube.size() * sizeof(float4));
    cudaMemcpy(dIn, frame.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(dCube, cube.data(), cube.size() * sizeof(float4), cudaMemcpyHostToDevice);
    dim3 tb(16, 16), gb((width + 15) / 16, (height + 15) / 16);
    applyLut<<<gb, tb>>>(dIn, dCube, dOut, width, height);
    cudaMemcpy(frame.data(), dOut, n * sizeof(float4), cudaMemcpyDeviceToHost);
    printf("%f %f %f\n", frame[0].x, frame[0].y, frame[0].z);
    return 0;
}
