/*
 * Links of a lattice gauge field times colour vectors, site by site: w(x) = U(x) v(x), U in SU(3).
 * Sites run fastest so that a warp reads lines.
 */
#include <cuda_runtime.h>
#include <cmath>
#include <iostream>
#include <vector>
#include <chrono>

struct cplx {
    float re, im;
};

__host__ __device__ inline cplx operator*(const cplx &a, const cplx &b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
__host__ __device__ inline cplx &operator+=(cplx &a, const cplx &b)
{
    a.re += b.re;
    a.im += b.im;
    return a;
}

constexpr int NC = 3;

__global__ void su3_mat_vec(const cplx *__restrict__ u, const cplx *__restrict__ v, cplx *__restrict__ w, int volume)
{
    const int site = blockIdx.x * blockDim.x + threadIdx.x;
    if (site >= volume) return;
    cplx in[NC];
    for (int c = 0; c < NC; ++c) in[c] = v[c * volume + site];
    for (int r = 0; r < NC; ++r) {
        cplx sum = {0.0f, 0.0f};
        for (int c = 0; c < NC; ++c) sum += u[(r * NC + c) * volume + site] * in[c];
        w[r * volume + site] = sum;
    }
}

#define gpuErr(ans) gpuAssert((ans), __FILE__, __LINE__)
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        std::cerr << "GPUassert: " << cudaGetErrorString(code) << " " << file << " " << line << std::endl;
        exit(code);
    }
}

int main(int argc, char **argv)
{
    int L = 16;
    int T = 16;
    if (argc == 3) {
        L = std::atoi(argv[1]);
        T = std::atoi(argv[2]);
    }
    const int volume = L * L * L * T;
    std::vector<cplx> u(NC * NC * volume), v(NC * volume), w(NC * volume);
    // diagonal phases, which multiply to one
    for (int s = 0; s < volume; ++s) {
        float ph[3] = {0.1f * s, -0.3f * s, 0.2f * s};
        for (int r = 0; r < NC; ++r) {
            for (int c = 0; c < NC; ++c) u[(r * NC + c) * volume + s] = {r == c ? std::cos(ph[r]) : 0.0f, r == c ? std::sin(ph[r]) : 0.0f};
            v[r * volume + s] = {1.0f, 0.5f * r};
        }
    }
    cplx *d_u, *d_v, *d_w;
    gpuErr(cudaMalloc(&d_u, u.size() * sizeof(cplx)));
    gpuErr(cudaMalloc(&d_v, v.size() * sizeof(cplx)));
    gpuErr(cudaMalloc(&d_w, w.size() * sizeof(cplx)));
    gpuErr(cudaMemcpy(d_u, u.data(), u.size() * sizeof(cplx), cudaMemcpyHostToDevice));
    gpuErr(cudaMemcpy(d_v, v.data(), v.size() * sizeof(cplx), cudaMemcpyHostToDevice));

    const int threads = 128;
    const int blocks = (volume + threads - 1) / threads;
    auto start = std::chrono::high_resolution_clock::now();
    su3_mat_vec<<<blocks, threads>>>(d_u, d_v, d_w, volume);
    gpuErr(cudaDeviceSynchronize());
    auto stop = std::chrono::high_resolution_clock::now();
    std::cout << std::chrono::duration<double>(stop - start).count() * 1e6 << " us\n";

    gpuErr(cudaMemcpy(w.data(), d_w, w.size() * sizeof(cplx), cudaMemcpyDeviceToHost));
    double before = 0, after = 0;
    for (int i = 0; i < NC * volume; ++i) {
        before += v[i].re * v[i].re + v[i].im * v[i].im;
        after += w[i].re * w[i].re + w[i].im * w[i].im;
    }
    std::cout << "norm " << before << " -> " << after << std::endl;
    cudaFree(d_u);
    cudaFree(d_v);
    cudaFree(d_w);
}
