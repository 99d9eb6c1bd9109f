#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_TIMESTEP_EMBEDDING_BLOCK_SIZE 256

// sinusoids of the step of a diffusion model: first half cosines, second half sines
static __global__ void timestep_embedding_f32(const float * timesteps, float * dst, const int row_len, const int dim, const int max_period) {
    const int i = blockIdx.y;
    const int j = threadIdx.x + blockIdx.x * blockDim.x;
    float * embed_data = dst + i * row_len;

    const int half = dim / 2;
    if (j >= half) {
        return;
    }

    const float timestep = timesteps[i];
    const float freq = expf(-logf(max_period) * j / half);
    const float arg = timestep * freq;
    embed_data[j] = cosf(arg);
    embed_data[j + half] = sinf(arg);
}

static void timestep_embedding_f32_cuda(const float * x, float * dst, const int rows, const int row_len,
                                        const int dim, const int max_period, cudaStream_t stream) {
    const int half_ceil = (dim + 1) / 2;
    const int num_blocks = (half_ceil + CUDA_TIMESTEP_EMBEDDING_BLOCK_SIZE - 1) / CUDA_TIMESTEP_EMBEDDING_BLOCK_SIZE;
    const dim3 grid_dim(num_blocks, rows, 1);
    timestep_embedding_f32<<<grid_dim, CUDA_TIMESTEP_EMBEDDING_BLOCK_SIZE, 0, stream>>>(x, dst, row_len, dim, max_period);
}

int main(void) {
    const int rows = 4096, dim = 640, max_period = 10000;

    std::vector<float> steps(rows);
    for (int i = 0; i < rows; i++) {
        steps[i] = (float) (i % 1000);
    }

    float * d_steps = nullptr;
    float * d_out = nullptr;
    if (cudaMalloc(&d_steps, rows * sizeof(float)) != cudaSuccess || cudaMalloc(&d_out, sizeof(float) * rows * dim) != cudaSuccess) {
        fprintf(stderr, "no memory\n");
        return EXIT_FAILURE;
    }
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(d_steps, steps.data(), rows * sizeof(float), cudaMemcpyHostToDevice, stream);

    timestep_embedding_f32_cuda(d_steps, d_out, rows, dim, dim, max_period, stream);

    std::vector<float> out((size_t) rows * dim);
    cudaMemcpyAsync(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    // cos^2 + sin^2
    float worst = 0.0f;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < dim / 2; j++) {
            const float c = out[i * dim + j];
            const float s = out[i * dim + dim / 2 + j];
            const float off = c * c + s * s - 1.0f;
            worst = off > worst ? off : (-off > worst ? -off : worst);
        }
    }
    printf("off the circle by at most %g\n", worst);
    cudaFree(d_steps);
    cudaFree(d_out);
    cudaStreamDestroy(stream);
    return 0;
}
