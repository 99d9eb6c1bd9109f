/* Cell-averaging CFAR over range for a range-Doppler map: a cell is a target where it exceeds alpha times the mean
 * of its training cells on both sides; guard cells next to it are left out. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include "cuda_runtime.h"

static const int GUARD = 4;
static const int TRAIN = 16;
static const int WING = GUARD + TRAIN;

#define SAFE(x) if ((x) != cudaSuccess) { printf("CUDA failure in line %d\n", __LINE__); return -1; }

__global__ void ca_cfar(const float* __restrict__ power, uint8_t* __restrict__ detections,
                        unsigned int num_range, unsigned int num_doppler, float alpha)
{
    const unsigned int r = blockDim.x * blockIdx.x + threadIdx.x;
    const unsigned int d = blockIdx.y;
    if (r < WING || r >= num_range - WING)
        return;

    const float* line = power + d * num_range;
    float noise = 0.f;
    for (int k = GUARD + 1; k <= WING; ++k)
        noise += line[r - k] + line[r + k];
    const float threshold = alpha * noise / (2 * TRAIN);
    detections[d * num_range + r] = line[r] > threshold;
}

int main(int argc, char* argv[])
{
    const unsigned int num_range = 4096;
    const unsigned int num_doppler = 128;
    const size_t cells = num_range * num_doppler;
    const double pfa = 1e-5;
    const float alpha = (float)(2 * TRAIN * (std::pow(pfa, -1.0 / (2 * TRAIN)) - 1.0));

    std::vector<float> map(cells);
    for (auto& p : map) p = -std::log((rand() + 1.0f) / (RAND_MAX + 2.0f));
    const int planted = 25;
    for (int t = 0; t < planted; ++t) map[(t * 5 + 2) * num_range + 100 + t * 150] = 200.0f;

    float* d_power = NULL;
    uint8_t* d_hits = NULL;
    SAFE(cudaMalloc(&d_power, cells * sizeof(float)));
    SAFE(cudaMalloc(&d_hits, cells));
    SAFE(cudaMemset(d_hits, 0, cells));
    SAFE(cudaMemcpy(d_power, map.data(), cells * sizeof(float), cudaMemcpyHostToDevice));

    const dim3 block(256);
    const dim3 grid(num_range / block.x, num_doppler);
    ca_cfar<<<grid, block>>>(d_power, d_hits, num_range, num_doppler, alpha);
    SAFE(cudaDeviceSynchronize());

    std::vector<uint8_t> hits(cells);
    SAFE(cudaMemcpy(hits.data(), d_hits, cells, cudaMemcpyDeviceToHost));
    int found = 0, all = 0;
    for (size_t i = 0; i < cells; ++i) all += hits[i];
    for (int t = 0; t < planted; ++t) found += hits[(t * 5 + 2) * num_range + 100 + t * 150];
    printf("%d of %d targets found, %d hits in all\n", found, planted, all);
    cudaFree(d_power);
    cudaFree(d_hits);
    return 0;
}
