// Centres of LEDs in a picture: threshold by Otsu, erosion, projections. A kernel a primitive.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <vector>

#define OK(call)                                                            \
    do {                                                                    \
        cudaError_t e = (call);                                             \
        if (e != cudaSuccess) {                                             \
            fprintf(stderr, "%s\n", cudaGetErrorString(e));                 \
            return 1;                                                       \
        }                                                                   \
    } while (0)

constexpr int kHeight = 1024;
constexpr int kWidth = 1024;
constexpr int kLevels = 256;
constexpr int kCandidates = 262144;
constexpr int kRadius = 3;
constexpr int kTile = 16;

__global__ void histogram(const float *image, unsigned int *counts, int n)
{
    __shared__ unsigned int local[kLevels];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[(int)image[i]], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

__global__ void maximum(const float *variances, int *best, int n)
{
    __shared__ float most[256];
    float mine = -FLT_MAX;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine = fmaxf(mine, variances[i]);
    most[threadIdx.x] = mine;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) most[threadIdx.x] = fmaxf(most[threadIdx.x], most[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicMax(best, __float_as_int(most[0]));
}

__global__ void threshold(const float *image, float *binary, float level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kHeight * kWidth) binary[i] = image[i] > level ? 1.0f : 0.0f;
}

__global__ void erode(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < kRadius || y < kRadius || x >= kWidth - kRadius || y >= kHeight - kRadius) return;
    float least = FLT_MAX;
    for (int dy = -kRadius; dy <= kRadius; dy++)
        for (int dx = -kRadius; dx <= kRadius; dx++)
            least = fminf(least, in[(y + dy) * kWidth + x + dx]);
    out[y * kWidth + x] = least;
}

__global__ void x_projection(const float *in, float *sums)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= kHeight) return;
    float sum = 0.0f;
    for (int x = 0; x < kWidth; x++) sum += in[y * kWidth + x];
    sums[y] = sum;
}

__global__ void y_projection(const float *in, float *sums)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= kWidth) return;
    float sum = 0.0f;
    for (int y = 0; y < kHeight; y++) sum += in[y * kWidth + x];
    sums[x] = sum;
}

int main()
{
    const int pixels = kHeight * kWidth;
    std::vector<float> host(pixels, 7.0f);
    float *image, *binary, *eroded, *variances, *rows, *columns;
    unsigned int *counts;
    int *best;
    OK(cudaMalloc(&image, pixels * sizeof(float)));
    OK(cudaMalloc(&binary, pixels * sizeof(float)));
    OK(cudaMalloc(&eroded, pixels * sizeof(float)));
    OK(cudaMalloc(&variances, kCandidates * sizeof(float)));
    OK(cudaMalloc(&rows, kHeight * sizeof(float)));
    OK(cudaMalloc(&columns, kWidth * sizeof(float)));
    OK(cudaMalloc(&counts, kLevels * sizeof(unsigned int)));
    OK(cudaMalloc(&best, sizeof(int)));
    OK(cudaMemcpy(image, host.data(), pixels * sizeof(float), cudaMemcpyHostToDevice));
    histogram<<<64, kLevels>>>(image, counts, pixels);
    maximum<<<64, 256>>>(variances, best, kCandidates);
    threshold<<<(pixels + 255) / 256, 256>>>(image, binary, 100.0f);
    dim3 block(kTile, kTile), grid(kWidth / kTile, kHeight / kTile);
    erode<<<grid, block>>>(binary, eroded);
    x_projection<<<kHeight / 64, 64>>>(eroded, rows);
    y_projection<<<kWidth / 64, 64>>>(eroded, columns);
    OK(cudaDeviceSynchronize());
    return 0;
}
