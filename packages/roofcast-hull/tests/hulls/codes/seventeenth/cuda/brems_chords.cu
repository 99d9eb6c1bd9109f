// Visible bremsstrahlung of a plasma, seen along chords; a warp for each chord.
#include <cstdio>
#include <vector>

constexpr int CHORDS = 4096, STEPS = 256, WARP = 32;

__device__ float warp_total(float v)
{
#pragma unroll
    for (int d = WARP / 2; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    return v;
}

__global__ void chord_light(const float2 *plasma /* density, temperature */, float *light, float zeff_step)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    int lane = threadIdx.x % WARP;
    if (warp >= CHORDS) return;
    const float2 *s = plasma + (size_t)warp * STEPS;
    float sum = 0.0f;
    for (int k = lane; k < STEPS; k += WARP) {
        float2 nt = s[k];
        sum += nt.x * nt.x / sqrtf(nt.y);
    }
    sum = warp_total(sum);
    if (lane == 0) light[warp] = sum * zeff_step;
}

int main()
{
    std::vector<float2> p(CHORDS * STEPS);
    for (size_t i = 0; i < p.size(); ++i) {
        float r = (float)(i % STEPS) / STEPS - 0.5f;
        p[i] = make_float2(5.0f * (1.0f - 4.0f * r * r), 0.01f + 3.0f * (1.0f - 4.0f * r * r));
    }
    float2 *d; float *light;
    cudaMalloc(&d, p.size() * sizeof(float2));
    cudaMalloc(&light, CHORDS * sizeof(float));
    cudaMemcpy(d, p.data(), p.size() * sizeof(float2), cudaMemcpyHostToDevice);
    chord_light<<<CHORDS * WARP / 128, 128>>>(d, light, 1.7f * 0.004f);
    float v;
    cudaMemcpy(&v, light + 10, sizeof v, cudaMemcpyDeviceToHost);
    printf("%f\n", v);
    return 0;
}
