// Runs of 32 keys sorted inside of a warp with exchanges by shuffle, the first stage of a merge sort
#include <cstdio>
#include <cstdlib>

const int KEYS = 1 << 22;

__device__ inline unsigned exchange(unsigned v, int mask, bool smaller)
{
    const unsigned w = __shfl_xor_sync(0xffffffffu, v, mask);
    return smaller ? min(v, w) : max(v, w);
}

__global__ void sort_runs(unsigned *keys)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    unsigned v = keys[i];
    for (int size = 2; size <= 32; size <<= 1)
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            const bool up = (lane & size) == 0 || size == 32;
            v = exchange(v, stride, ((lane & stride) == 0) == up);
        }
    keys[i] = v;
}

int main()
{
    unsigned *h = new unsigned[KEYS], *d;
    for (int i = 0; i < KEYS; i++) h[i] = (unsigned)rand() * 2u;
    cudaMalloc(&d, KEYS * sizeof(unsigned));
    cudaMemcpy(d, h, KEYS * sizeof(unsigned), cudaMemcpyHostToDevice);
    sort_runs<<<KEYS / 256, 256>>>(d);
    cudaMemcpy(h, d, KEYS * sizeof(unsigned), cudaMemcpyDeviceToHost);
    for (int i = 1; i < 32; i++) if (h[i] < h[i - 1]) puts("wrong");
    delete[] h;
}
