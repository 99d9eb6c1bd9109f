// A bucket model of soil water: a year of days for each grid cell of a land mask.
#include <cuda_runtime.h>
#include <cstdio>
#include <memory>

namespace {
constexpr int kCells = 67420;
constexpr int kDays = 365;
}

struct Forcing {
    const float *rain;  // [day][cell], mm
    const float *pet;   // [day][cell], mm
};

__global__ void year_of_buckets(Forcing f, const float *capacity, float *runoff, float *soil, int cells, int days)
{
    const int c = threadIdx.x + blockIdx.x * blockDim.x;
    if (c >= cells) return;
    const float cap = capacity[c];
    float water = 0.5f * cap;
    float gone = 0.0f;
    for (int d = 0; d < days; ++d) {
        water += f.rain[d * cells + c];
        const float et = f.pet[d * cells + c] * fminf(1.0f, water / cap);
        water -= et;
        const float spill = fmaxf(water - cap, 0.0f);
        water -= spill;
        gone += spill;
    }
    runoff[c] = gone;
    soil[c] = water;
}

int main()
{
    const size_t n = (size_t)kDays * kCells;
    std::unique_ptr<float[]> rain(new float[n]), pet(new float[n]), cap(new float[kCells]);
    for (size_t i = 0; i < n; ++i) {
        rain[i] = (i * 37 % 101) < 30 ? 8.0f : 0.0f;
        pet[i] = 1.0f + 0.03f * (i % 90);
    }
    for (int c = 0; c < kCells; ++c) cap[c] = 80.0f + c % 120;
    float *d_rain, *d_pet, *d_cap, *d_run, *d_soil;
    cudaMalloc(&d_rain, n * sizeof(float));
    cudaMalloc(&d_pet, n * sizeof(float));
    cudaMalloc(&d_cap, kCells * sizeof(float));
    cudaMalloc(&d_run, kCells * sizeof(float));
    cudaMalloc(&d_soil, kCells * sizeof(float));
    cudaMemcpy(d_rain, rain.get(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_pet, pet.get(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_cap, cap.get(), kCells * sizeof(float), cudaMemcpyHostToDevice);
    Forcing f{d_rain, d_pet};
    year_of_buckets<<<(kCells + 255) / 256, 256>>>(f, d_cap, d_run, d_soil, kCells, kDays);
    float r;
    cudaMemcpy(&r, d_run, sizeof r, cudaMemcpyDeviceToHost);
    printf("runoff of cell 0: %.1f mm\n", r);
}
