#include <cuda_fp16.h>
#include <cuda_runtime.h>

// [batch, seq, heads, dim] -> [batch, heads, seq, dim]
__global__ void split_heads(const half *in, half *out, int seq, int heads, int dim) {
    int s = blockIdx.x, h = blockIdx.y, b = blockIdx.z, d = threadIdx.x;
    out[((b * heads + h) * seq + s) * dim + d] = in[((b * seq + s) * heads + h) * dim + d];
}

int main() {
    int batch = 4, seq = 512, heads = 12, dim = 64;
    half *in, *out;
    size_t bytes = sizeof(half) * batch * seq * heads * dim;
    cudaMalloc((void **)&in, bytes);
    cudaMalloc((void **)&out, bytes);
    dim3 grid(seq, heads, batch);
    split_heads<<<grid, dim>>>(in, out, seq, heads, dim);
    cudaStreamSynchronize(0);
    return 0;
}
