// Proximal step of the group lasso: every row of W (an output unit of a layer) is shrunk towards zero by its norm.
// By hand: 2 operations an element for the norm, 1 for the scaling, 4 a row.
// Verified: counted twice by reading; compiled with nvcc, not run.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t err, const char* what)
{
    if (err != cudaSuccess) {
        fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(err));
        exit(EXIT_FAILURE);
    }
}

template <int THREADS>
__global__ void prox_group_lasso(float* W, int cols, float threshold)
{
    __shared__ float red[THREADS];
    float* row = W + (size_t)blockIdx.x * cols;

    float acc = 0.0f;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        float v = row[c];
        acc += v * v;
    }
    red[threadIdx.x] = acc;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) red[threadIdx.x] += red[threadIdx.x + s];
        __syncthreads();
    }

    const float norm = sqrtf(red[0]);
    const float scale = fmaxf(0.0f, 1.0f - threshold / norm);
    for (int c = threadIdx.x; c < cols; c += THREADS) row[c] *= scale;
}

int main()
{
    const int units = 8192, inputs = 1024;
    std::vector<float> w((size_t)units * inputs);
    for (size_t i = 0; i < w.size(); i++) w[i] = 0.02f * ((int)(i * 2654435761u >> 16) % 101 - 50) / 50.0f;
    float* d_w;
    check(cudaMalloc((void**)&d_w, w.size() * sizeof(float)), "malloc");
    check(cudaMemcpy(d_w, w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice), "copy in");

    const float lr = 0.1f, lambda = 0.5f;
    prox_group_lasso<256><<<units, 256>>>(d_w, inputs, lr * lambda);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");

    check(cudaMemcpy(w.data(), d_w, w.size() * sizeof(float), cudaMemcpyDeviceToHost), "copy out");
    int zero = 0;
    for (int u = 0; u < units; u++) zero += w[(size_t)u * inputs + 1] == 0.0f;
    printf("%d of %d first weights are zero\n", zero, units);
    cudaFree(d_w);
    return 0;
}
