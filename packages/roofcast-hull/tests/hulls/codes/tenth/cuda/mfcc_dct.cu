// Cepstral coefficients: DCT-II of the log mel energies of each frame, then sinusoidal liftering.
// By hand: a small matrix product (frames x 40) by (13 x 40)^T, and one factor a coefficient.
// Verified: counted twice by reading; compiled with nvcc, not run.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

const int kFrames = 60000;   // ten minutes at 100 frames a second
const int kMel = 40;
const int kCepstra = 13;
const float kLifter = 22.0f;

#define TRY(x) if ((x) != cudaSuccess) { printf("failed: %s\n", #x); return EXIT_FAILURE; }

__global__ void cepstra_kernel(const float* log_mel, const float* basis, const float* lifter, float* out, int frames)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= frames * kCepstra) return;
    int frame = tid / kCepstra;
    int coef = tid % kCepstra;

    const float* m = log_mel + frame * kMel;
    const float* b = basis + coef * kMel;
    float acc = 0.0f;
#pragma unroll
    for (int k = 0; k < kMel; ++k) acc += m[k] * b[k];
    out[tid] = lifter[coef] * acc;
}

int main()
{
    std::vector<float> mel(kFrames * kMel), basis(kCepstra * kMel), lifter(kCepstra), out(kFrames * kCepstra);
    for (size_t i = 0; i < mel.size(); ++i) mel[i] = logf(1.0f + rand() % 1000);
    for (int c = 0; c < kCepstra; ++c) {
        for (int k = 0; k < kMel; ++k)
            basis[c * kMel + k] = sqrtf(2.0f / kMel) * cosf((float)M_PI * c * (k + 0.5f) / kMel);
        lifter[c] = 1.0f + 0.5f * kLifter * sinf((float)M_PI * c / kLifter);
    }

    float *d_mel, *d_basis, *d_lifter, *d_out;
    TRY(cudaMalloc(&d_mel, mel.size() * 4));
    TRY(cudaMalloc(&d_basis, basis.size() * 4));
    TRY(cudaMalloc(&d_lifter, lifter.size() * 4));
    TRY(cudaMalloc(&d_out, out.size() * 4));
    TRY(cudaMemcpy(d_mel, mel.data(), mel.size() * 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(d_basis, basis.data(), basis.size() * 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(d_lifter, lifter.data(), lifter.size() * 4, cudaMemcpyHostToDevice));

    const int threads = 256;
    const int blocks = (kFrames * kCepstra + threads - 1) / threads;
    cepstra_kernel<<<blocks, threads>>>(d_mel, d_basis, d_lifter, d_out, kFrames);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost));

    double worst = 0.0;
    for (int f = 0; f < 100; ++f)
        for (int c = 0; c < kCepstra; ++c) {
            float acc = 0.0f;
            for (int k = 0; k < kMel; ++k) acc += mel[f * kMel + k] * basis[c * kMel + k];
            worst = fmax(worst, fabs(acc * lifter[c] - out[f * kCepstra + c]));
        }
    printf("largest difference %g\n", worst);
    cudaFree(d_mel); cudaFree(d_basis); cudaFree(d_lifter); cudaFree(d_out);
    return 0;
}
