// From a spectrogram to the logarithms of its mel bands, and of single lines to decibel.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

constexpr int FRAMES = 2000;
constexpr int BINS = 257;
constexpr int BANDS = 40;

__global__ void to_decibel(const float2* spectrum, float* power, float* db, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float2 z = spectrum[i];
        const float p = z.x * z.x + z.y * z.y;
        power[i] = p;
        db[i] = 10.0f * log10f(fmaxf(p, 1e-10f));
    }
}

__global__ void mel_bands(const float* power, const float* filters, float* bands)
{
    const int frame = blockIdx.x * blockDim.y + threadIdx.y;
    const int band = threadIdx.x;
    float sum = 0.0f;
    for (int b = 0; b < BINS; ++b) sum += power[frame * BINS + b] * filters[band * BINS + b];
    bands[frame * BANDS + band] = logf(fmaxf(sum, 1e-10f));
}

int main()
{
    std::vector<float2> z(FRAMES * BINS);
    for (size_t i = 0; i < z.size(); ++i) z[i] = make_float2(0.01f * (i % 100), -0.5f);
    std::vector<float> f(BANDS * BINS, 0.02f);
    float2* spectrum;
    float *power, *db, *filters, *bands;
    cudaMalloc(&spectrum, z.size() * sizeof(float2));
    cudaMalloc(&power, z.size() * sizeof(float));
    cudaMalloc(&db, z.size() * sizeof(float));
    cudaMalloc(&filters, f.size() * sizeof(float));
    cudaMalloc(&bands, FRAMES * BANDS * sizeof(float));
    cudaMemcpy(spectrum, z.data(), z.size() * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(filters, f.data(), f.size() * sizeof(float), cudaMemcpyHostToDevice);
    to_decibel<<<160, 256>>>(spectrum, power, db, FRAMES * BINS);
    mel_bands<<<FRAMES / 8, dim3(BANDS, 8)>>>(power, filters, bands);
    std::vector<float> out(FRAMES * BANDS);
    cudaMemcpy(out.data(), bands, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", out[0]);
    cudaFree(spectrum);
    cudaFree(power);
    cudaFree(db);
    cudaFree(filters);
    cudaFree(bands);
    return 0;
}
