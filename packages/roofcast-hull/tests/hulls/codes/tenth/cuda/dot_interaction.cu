// Feature interaction of a recommendation model (DLRM): the dot products of all pairs of the 27 embeddings of a sample.
// By hand: 351 pairs of 64 multiply-adds a sample.
// Verified: counted twice by reading; compiled with nvcc, not run.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

template <int FEATURES, int DIM>
struct Interaction {
    static constexpr int kPairs = FEATURES * (FEATURES - 1) / 2;
    static constexpr int kThreads = 128;
};

template <int FEATURES, int DIM>
__global__ void dot_interaction(const float* __restrict__ emb, float* __restrict__ out)
{
    using Cfg = Interaction<FEATURES, DIM>;
    __shared__ float rows[FEATURES][DIM + 1];
    const float* sample = emb + (size_t)blockIdx.x * FEATURES * DIM;
    float* dst = out + (size_t)blockIdx.x * Cfg::kPairs;

    for (int t = threadIdx.x; t < FEATURES * DIM; t += Cfg::kThreads) rows[t / DIM][t % DIM] = sample[t];
    __syncthreads();

    for (int t = threadIdx.x; t < FEATURES * FEATURES; t += Cfg::kThreads) {
        const int i = t / FEATURES;
        const int j = t % FEATURES;
        if (j < i) {
            float acc = 0.0f;
#pragma unroll 16
            for (int d = 0; d < DIM; ++d) acc = fmaf(rows[i][d], rows[j][d], acc);
            dst[i * (i - 1) / 2 + j] = acc;
        }
    }
}

int main(int argc, char** argv)
{
    constexpr int kFeatures = 27, kDim = 64;
    const int batch = (argc > 1) ? atoi(argv[1]) : 8192;
    constexpr int kPairs = Interaction<kFeatures, kDim>::kPairs;

    std::vector<float> emb((size_t)batch * kFeatures * kDim);
    for (size_t i = 0; i < emb.size(); ++i) emb[i] = (float)(i % 17) / 17.0f - 0.5f;
    float *d_emb, *d_out;
    if (cudaMalloc(&d_emb, emb.size() * sizeof(float)) || cudaMalloc(&d_out, (size_t)batch * kPairs * sizeof(float))) {
        fprintf(stderr, "allocation failed\n");
        return 1;
    }
    cudaMemcpy(d_emb, emb.data(), emb.size() * sizeof(float), cudaMemcpyHostToDevice);

    dot_interaction<kFeatures, kDim><<<batch, Interaction<kFeatures, kDim>::kThreads>>>(d_emb, d_out);
    cudaError_t err = cudaGetLastError();
    if (err == cudaSuccess) err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        fprintf(stderr, "dot_interaction: %s\n", cudaGetErrorString(err));
        return 1;
    }
    std::vector<float> first(kPairs);
    cudaMemcpy(first.data(), d_out, kPairs * sizeof(float), cudaMemcpyDeviceToHost);
    float want = 0.0f;
    for (int d = 0; d < kDim; ++d) want += emb[d] * emb[kDim + d];
    printf("pair (1,0): %f, expected %f\n", first[0], want);
    cudaFree(d_emb);
    cudaFree(d_out);
    return 0;
}
