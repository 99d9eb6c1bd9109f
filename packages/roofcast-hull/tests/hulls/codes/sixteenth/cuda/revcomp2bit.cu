// Reads of 64 bases, two bits each (A=0 C=1 G=2 T=3): reverse complements, and GC content from the same packing
#include <cstdio>
#include <cstdlib>

#define READS 1500000
typedef unsigned int u32;

static __device__ u32 flip(u32 w)
{
    w = __brev(~w);
    return ((w >> 1) & 0x55555555u) | ((w & 0x55555555u) << 1);
}

__global__ void reverse_complement(const uint4 *in, uint4 *out, int n)
{
    int r = blockDim.x * blockIdx.x + threadIdx.x;
    if (r >= n) return;
    uint4 a = in[r], b;
    b.x = flip(a.w);
    b.y = flip(a.z);
    b.z = flip(a.y);
    b.w = flip(a.x);
    out[r] = b;
}

__global__ void gc_bases(const u32 *words, unsigned char *gc, int n)
{
    int r = blockDim.x * blockIdx.x + threadIdx.x;
    if (r < n) {
        const u32 *w = words + 4 * (size_t)r;
        int count = 0;
        for (int k = 0; k < 4; ++k)
            count += __popc((w[k] ^ (w[k] >> 1)) & 0x55555555u);
        gc[r] = (unsigned char)count;
    }
}

int main()
{
    uint4 *in, *out; unsigned char *gc;
    cudaMallocManaged(&in, READS * sizeof(uint4));
    cudaMallocManaged(&out, READS * sizeof(uint4));
    cudaMallocManaged(&gc, READS);
    for (int i = 0; i < READS; i++) in[i] = make_uint4(rand(), rand(), rand(), rand());
    reverse_complement<<<(READS + 191) / 192, 192>>>(in, out, READS);
    gc_bases<<<(READS + 191) / 192, 192>>>((const u32 *)out, gc, READS);
    cudaDeviceSynchronize();
    printf("%x %d\n", out[3].x, gc[3]);
    return 0;
}
