// Rank correlation of gene-expression rows with a phenotype: ranks by counting, ties share their mean rank.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

template <typename T, int SAMPLES>
__global__ void rank_rows(const T *x, T *rank)
{
    __shared__ T row[SAMPLES];
    const T mine = x[blockIdx.x * SAMPLES + threadIdx.x];
    row[threadIdx.x] = mine;
    __syncthreads();
    int below = 0, same = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        below += row[k] < mine;
        same += row[k] == mine;
    }
    rank[blockIdx.x * SAMPLES + threadIdx.x] = T(below) + T(0.5) * T(same + 1);
}

template <typename T, int SAMPLES>
__global__ void rho(const T *rank, const T *phenotype, T *out, int genes)
{
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= genes) return;
    T d2 = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        const T d = rank[g * SAMPLES + k] - phenotype[k];
        d2 += d * d;
    }
    out[g] = T(1) - T(6) * d2 / T(SAMPLES * (SAMPLES * SAMPLES - 1));
}

int main()
{
    constexpr int genes = 20000, samples = 96;
    std::vector<float> x(genes * samples), ph(samples), r(genes);
    for (size_t i = 0; i < x.size(); ++i) x[i] = float((i * 2654435761ull) % 1021);
    for (int s = 0; s < samples; ++s) ph[s] = float(s + 1);
    float *dx, *dr, *dp, *dout;
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dr, x.size() * sizeof(float));
    cudaMalloc(&dp, samples * sizeof(float));
    cudaMalloc(&dout, genes * sizeof(float));
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dp, ph.data(), samples * sizeof(float), cudaMemcpyHostToDevice);
    rank_rows<float, samples><<<genes, samples>>>(dx, dr);
    rho<float, samples><<<(genes + 127) / 128, 128>>>(dr, dp, dout, genes);
    cudaMemcpy(r.data(), dout, genes * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %f\n", r[0], r[genes - 1]);
}
