// single-cell RNA: library sizes, log-normalised expression, variance of each gene
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <typename T, int CELLS, int GENES>
__global__ void library_size(const T* counts, float* size)
{
    int cell = blockIdx.x * blockDim.y + threadIdx.y;
    if (cell >= CELLS) return;
    float s = 0;
    for (int g = threadIdx.x; g < GENES; g += 32) s += counts[(size_t)cell * GENES + g];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (!threadIdx.x) size[cell] = s;
}

template <typename T, int CELLS, int GENES>
__global__ void log_norm(const T* counts, const float* size, float* expr)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int cell = blockIdx.y;
    if (g < GENES) {
        size_t at = (size_t)cell * GENES + g;
        expr[at] = log1pf(counts[at] * 10000.f / size[cell]);
    }
}

template <int CELLS, int GENES>
__global__ void gene_variance(const float* expr, float* var)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= GENES) return;
    float m = 0, q = 0;
    for (int c = 0; c < CELLS; ++c) {
        float x = expr[(size_t)c * GENES + g];
        m += x;
        q += x * x;
    }
    m /= CELLS;
    var[g] = q / CELLS - m * m;
}

int main()
{
    constexpr int C = 8192, G = 2000;
    std::vector<unsigned short> h((size_t)C * G);
    for (size_t i = 0; i < h.size(); ++i) h[i] = (i * 2654435761u >> 20) % 7;
    unsigned short* counts; float *size, *expr, *var;
    cudaMalloc(&counts, h.size() * sizeof(unsigned short));
    cudaMalloc(&size, C * sizeof(float));
    cudaMalloc(&expr, h.size() * sizeof(float));
    cudaMalloc(&var, G * sizeof(float));
    cudaMemcpy(counts, h.data(), h.size() * 2, cudaMemcpyHostToDevice);
    library_size<unsigned short, C, G><<<C / 8, dim3(32, 8)>>>(counts, size);
    log_norm<unsigned short, C, G><<<dim3((G + 255) / 256, C), 256>>>(counts, size, expr);
    gene_variance<C, G><<<(G + 63) / 64, 64>>>(expr, var);
    std::vector<float> v(G);
    cudaMemcpy(v.data(), var, G * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", v[10]);
    return 0;
}
