#include <cuda_runtime.h>

__global__ void embed(const int *tokens, const float *table, const float *positions, float *out, int dim)
{
    const int t = blockIdx.x;
    const float *row = table + (long)tokens[t] * dim;
    for (int d = threadIdx.x; d < dim; d += blockDim.x)
        out[t * dim + d] = row[d] + positions[t * dim + d];
}

int main()
{
    const int vocabulary = 50257, length = 1024, dim = 768;
    int *tokens;
    float *table, *positions, *out;
    cudaMalloc(&tokens, length * sizeof(int));
    cudaMalloc(&table, sizeof(float) * vocabulary * dim);
    cudaMalloc(&positions, sizeof(float) * length * dim);
    cudaMalloc(&out, sizeof(float) * length * dim);
    embed<<<length, 256>>>(tokens, table, positions, out, dim);
    cudaDeviceSynchronize();
    return 0;
}
