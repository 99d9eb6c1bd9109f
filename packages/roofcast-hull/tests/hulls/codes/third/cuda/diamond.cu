// Morphological gradient with a diamond: largest less smallest of the places at most two steps away.
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void diamond_gradient(const short *in, short *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
    short lo = in[y * width + x], hi = lo;
    for (int dy = -2; dy <= 2; dy++) {
        const int reach = 2 - (dy < 0 ? -dy : dy);
        for (int dx = -reach; dx <= reach; dx++) {
            short v = in[(y + dy) * width + x + dx];
            lo = min(lo, v);
            hi = max(hi, v);
        }
    }
    out[y * width + x] = hi - lo;
}

int main()
{
    const int width = 2000, height = 1500;
    short *in, *out;
    cudaMalloc(&in, width * height * sizeof(short));
    cudaMalloc(&out, width * height * sizeof(short));
    dim3 b(16, 16), g((width + 15) / 16, (height + 15) / 16);
    diamond_gradient<<<g, b>>>(in, out, width, height);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return 0;
}
