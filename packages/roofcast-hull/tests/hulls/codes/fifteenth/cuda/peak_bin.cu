// Centroided peaks of a mass spectrometer summed into a profile of 4096 bins.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
constexpr int PEAKS = 4000000;
constexpr int BINS = 4096;

__global__ void bin_peaks(const float *__restrict__ mz, const float *__restrict__ intensity, float *profile,
                          float low, float per_bin)
{
    const int stride = blockDim.x * gridDim.x;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < PEAKS; p += stride) {
        int b = (int)floorf((mz[p] - low) * per_bin);
        if (b >= 0 && b < BINS)
            atomicAdd(&profile[b], intensity[p]);
    }
}

int main()
{
    std::vector<float> hm(PEAKS), hi(PEAKS), hp(BINS);
    for (int p = 0; p < PEAKS; ++p) {
        hm[p] = 100.f + 1900.f * (rand() / (float)RAND_MAX);
        hi[p] = 1.f + rand() % 1000;
    }
    float *mz, *in, *prof;
    cudaMalloc(&mz, PEAKS * sizeof(float));
    cudaMalloc(&in, PEAKS * sizeof(float));
    cudaMalloc(&prof, BINS * sizeof(float));
    cudaMemcpy(mz, hm.data(), PEAKS * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(in, hi.data(), PEAKS * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(prof, 0, BINS * sizeof(float));
    bin_peaks<<<528, 256>>>(mz, in, prof, 100.f, BINS / 1900.f);
    cudaMemcpy(hp.data(), prof, BINS * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", hp[BINS / 2]);
}
