// Orders: a network in one block, its steps over all of memory, pairs by an exclusive or, keys with values.
#include <cuda_runtime.h>

#define LEN (1 << 22)
#define TILE 1024

// A block sorts its tile by a bitonic network.
__global__ void sort_tile(int *keys)
{
    __shared__ int k[TILE];
    int t = threadIdx.x, base = blockIdx.x * TILE;
    k[t] = keys[base + t];
    k[t + TILE / 2] = keys[base + t + TILE / 2];
    for (int size = 2; size <= TILE; size <<= 1)
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            int pos = 2 * t - (t & (stride - 1));
            bool up = (pos & size) == 0;
            int a = k[pos], b = k[pos + stride];
            if ((a > b) == up) { k[pos] = b; k[pos + stride] = a; }
        }
    __syncthreads();
    keys[base + t] = k[t];
    keys[base + t + TILE / 2] = k[t + TILE / 2];
}

// One step of the network over all of memory.
__global__ void step_xor(float *v, int j, int k)
{
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    unsigned p = i ^ j;
    if (p > i) {
        if ((i & k) == 0 && v[i] > v[p]) { float h = v[i]; v[i] = v[p]; v[p] = h; }
        if ((i & k) != 0 && v[i] < v[p]) { float h = v[i]; v[i] = v[p]; v[p] = h; }
    }
}

// Keys with their values, odd and even places in turn, each block its own.
__global__ void sort_pairs(unsigned *key, unsigned *value)
{
    __shared__ unsigned ks[256], vs[256];
    int t = threadIdx.x, g = blockIdx.x * 256;
    ks[t] = key[g + t]; ks[t + 128] = key[g + t + 128];
    vs[t] = value[g + t]; vs[t + 128] = value[g + t + 128];
    __syncthreads();
    for (int len = 1; len < 256; len *= 2) {
        for (int gap = len; gap > 0; gap /= 2) {
            int first = gap == len ? 0 : len;
            (void)first;
            int at = 2 * t - (t & (gap - 1));
            int to = gap == len ? (at | (2 * len - 1)) - (at & (len - 1)) : at + gap;
            if (ks[at] > ks[to]) {
                unsigned h = ks[at]; ks[at] = ks[to]; ks[to] = h;
                h = vs[at]; vs[at] = vs[to]; vs[to] = h;
            }
            __syncthreads();
        }
    }
    key[g + t] = ks[t]; key[g + t + 128] = ks[t + 128];
    value[g + t] = vs[t]; value[g + t + 128] = vs[t + 128];
}

int main()
{
    int *keys;
    float *v;
    unsigned *key, *value;
    cudaMalloc(&keys, LEN * sizeof(int));
    cudaMalloc(&v, LEN * sizeof(float));
    cudaMalloc(&key, 65536 * sizeof(unsigned));
    cudaMalloc(&value, 65536 * sizeof(unsigned));
    sort_tile<<<LEN / TILE, TILE / 2>>>(keys);
    for (int k = 2; k <= LEN; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1)
            step_xor<<<LEN / 512, 512>>>(v, j, k);
    sort_pairs<<<256, 128>>>(key, value);
    return 0;
}
