// Max unpooling of a SegNet decoder: each pooled value goes back to the place its index says.
// No class: the index array decides where the unit writes.
// Verified: compiled with nvcc, not run.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_OK(expr)                                                                       \
    do {                                                                                    \
        cudaError_t status = (expr);                                                        \
        if (status != cudaSuccess) {                                                        \
            std::fprintf(stderr, "%s (%s:%d)\n", cudaGetErrorString(status), __FILE__, __LINE__); \
            std::exit(EXIT_FAILURE);                                                        \
        }                                                                                   \
    } while (0)

template <typename T>
__global__ void max_unpool2d_forward(const T* __restrict__ pooled, const int* __restrict__ indices,
                                     T* __restrict__ out, int planes, int in_plane, int out_plane)
{
    const int total = planes * in_plane;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        const int plane = i / in_plane;
        const int target = indices[i];
        if (target >= 0 && target < out_plane) out[(size_t)plane * out_plane + target] = pooled[i];
    }
}

int main()
{
    const int batch = 8, channels = 64;
    const int in_h = 112, in_w = 112;
    const int out_h = 224, out_w = 224;
    const int planes = batch * channels;
    const int in_plane = in_h * in_w, out_plane = out_h * out_w;

    std::vector<float> pooled((size_t)planes * in_plane);
    std::vector<int> indices(pooled.size());
    srand(3);
    for (int p = 0; p < planes; p++)
        for (int y = 0; y < in_h; y++)
            for (int x = 0; x < in_w; x++) {
                const size_t i = (size_t)p * in_plane + y * in_w + x;
                const int corner = rand() & 3;
                pooled[i] = rand() / (float)RAND_MAX;
                indices[i] = (2 * y + (corner >> 1)) * out_w + 2 * x + (corner & 1);
            }

    float *d_pooled, *d_out;
    int* d_indices;
    CUDA_OK(cudaMalloc(&d_pooled, pooled.size() * sizeof(float)));
    CUDA_OK(cudaMalloc(&d_indices, indices.size() * sizeof(int)));
    CUDA_OK(cudaMalloc(&d_out, (size_t)planes * out_plane * sizeof(float)));
    CUDA_OK(cudaMemcpy(d_pooled, pooled.data(), pooled.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(d_indices, indices.data(), indices.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemset(d_out, 0, (size_t)planes * out_plane * sizeof(float)));

    max_unpool2d_forward<float><<<4096, 256>>>(d_pooled, d_indices, d_out, planes, in_plane, out_plane);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());

    std::vector<float> first(out_plane);
    CUDA_OK(cudaMemcpy(first.data(), d_out, out_plane * sizeof(float), cudaMemcpyDeviceToHost));
    int filled = 0;
    for (float v : first) filled += v != 0.f;
    printf("%d of %d places filled\n", filled, out_plane);
    cudaFree(d_pooled); cudaFree(d_indices); cudaFree(d_out);
    return 0;
}
