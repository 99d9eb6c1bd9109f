#include <cuda_runtime.h>

static const unsigned int CHUNK = 1024;

__device__ inline void compareSwap(unsigned int &a, unsigned int &b, bool up)
{
    if ((a > b) == up) {
        unsigned int t = a;
        a = b;
        b = t;
    }
}

// every block sorts CHUNK keys
__global__ void sortChunks(unsigned int *keys)
{
    __shared__ unsigned int s[CHUNK];
    unsigned int base = blockIdx.x * CHUNK, t = threadIdx.x;
    s[t] = keys[base + t];
    s[t + CHUNK / 2] = keys[base + t + CHUNK / 2];
    for (unsigned int size = 2; size <= CHUNK; size <<= 1) {
        bool up = (t & (size / 2)) == 0;
        for (unsigned int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned int pos = 2 * t - (t & (stride - 1));
            compareSwap(s[pos], s[pos + stride], up);
        }
    }
    __syncthreads();
    keys[base + t] = s[t];
    keys[base + t + CHUNK / 2] = s[t + CHUNK / 2];
}

int main()
{
    const unsigned int n = 1u << 20;
    unsigned int *keys;
    cudaMalloc(&keys, n * sizeof(unsigned int));
    sortChunks<<<n / CHUNK, CHUNK / 2>>>(keys);
    cudaDeviceSynchronize();
}
