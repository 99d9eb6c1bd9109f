// Speckle reducing anisotropic diffusion (after Yu & Acton), one iteration = two kernels.
// Classes derived by hand; operations line by line.
// Verified: operations of a unit with self-counting numbers in Python; compiled with nvcc, not run.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int ROWS = 2048;
constexpr int COLS = 2048;

__global__ void srad_coeff(const float* __restrict__ J, float* __restrict__ dN, float* __restrict__ dS,
                           float* __restrict__ dW, float* __restrict__ dE, float* __restrict__ c,
                           int rows, int cols, float q0sqr, float inv_q)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;

    const int up    = row == 0 ? 0 : row - 1;
    const int down  = row == rows - 1 ? rows - 1 : row + 1;
    const int left  = col == 0 ? 0 : col - 1;
    const int right = col == cols - 1 ? cols - 1 : col + 1;
    const int k = row * cols + col;

    const float Jc = J[k];
    const float n = J[up * cols + col] - Jc;
    const float s = J[down * cols + col] - Jc;
    const float w = J[row * cols + left] - Jc;
    const float e = J[row * cols + right] - Jc;

    const float G2 = (n * n + s * s + w * w + e * e) / (Jc * Jc);
    const float L = (n + s + w + e) / Jc;
    const float num = 0.5f * G2 - (1.0f / 16.0f) * (L * L);
    float den = 1.0f + 0.25f * L;
    const float qsqr = num / (den * den);
    den = (qsqr - q0sqr) * inv_q;
    const float coef = 1.0f / (1.0f + den);

    dN[k] = n;
    dS[k] = s;
    dW[k] = w;
    dE[k] = e;
    c[k] = fminf(fmaxf(coef, 0.0f), 1.0f);
}

__global__ void srad_update(float* __restrict__ J, const float* __restrict__ c, const float* __restrict__ dN,
                            const float* __restrict__ dS, const float* __restrict__ dW, const float* __restrict__ dE,
                            int rows, int cols, float quarter_lambda)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;

    const int k = row * cols + col;
    const int kS = min(row + 1, rows - 1) * cols + col;
    const int kE = row * cols + min(col + 1, cols - 1);

    const float here = c[k];
    const float D = here * dN[k] + c[kS] * dS[k] + here * dW[k] + c[kE] * dE[k];
    J[k] += quarter_lambda * D;
}

int main(int argc, char** argv)
{
    const int iterations = argc > 1 ? atoi(argv[1]) : 20;
    const float lambda = 0.5f;
    const size_t count = (size_t)ROWS * COLS;
    const size_t bytes = count * sizeof(float);

    std::vector<float> image(count);
    srand(7);
    for (size_t i = 0; i < count; ++i) image[i] = expf((rand() % 256) / 255.0f);

    float *J, *c, *dN, *dS, *dW, *dE;
    CUDA_CHECK(cudaMalloc(&J, bytes));
    CUDA_CHECK(cudaMalloc(&c, bytes));
    CUDA_CHECK(cudaMalloc(&dN, bytes));
    CUDA_CHECK(cudaMalloc(&dS, bytes));
    CUDA_CHECK(cudaMalloc(&dW, bytes));
    CUDA_CHECK(cudaMalloc(&dE, bytes));
    CUDA_CHECK(cudaMemcpy(J, image.data(), bytes, cudaMemcpyHostToDevice));

    dim3 block(32, 8);
    dim3 grid((COLS + block.x - 1) / block.x, (ROWS + block.y - 1) / block.y);
    float q0sqr = 0.05f;
    for (int it = 0; it < iterations; ++it) {
        const float inv_q = 1.0f / (q0sqr * (1.0f + q0sqr));
        srad_coeff<<<grid, block>>>(J, dN, dS, dW, dE, c, ROWS, COLS, q0sqr, inv_q);
        srad_update<<<grid, block>>>(J, c, dN, dS, dW, dE, ROWS, COLS, 0.25f * lambda);
        q0sqr *= 0.97f;
    }
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(image.data(), J, bytes, cudaMemcpyDeviceToHost));
    printf("J[0] = %f, J[mid] = %f\n", image[0], image[count / 2]);

    cudaFree(J); cudaFree(c); cudaFree(dN); cudaFree(dS); cudaFree(dW); cudaFree(dE);
    return 0;
}
