/* Two parities of a stripe (RAID 6): P is the exclusive or of the data, Q the sum of data times powers of two in GF(2^8),
   four bytes of a word at once. */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

typedef uint32_t u32;
#define DATA_DISKS 8
#define WORDS_PER_DISK (1u << 20)

#define HANDLE(e) handle((e), __LINE__)
static void handle(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    exit(2);
}

__host__ __device__ static inline u32 times2(u32 x)
{
    return ((x << 1) & 0xfefefefeu) ^ (((x >> 7) & 0x01010101u) * 0x1du);
}

__global__ void gen_syndrome(const u32 *data, u32 *p, u32 *q, unsigned words)
{
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride) {
        u32 wp = data[(DATA_DISKS - 1) * words + i];
        u32 wq = wp;
        for (int z = DATA_DISKS - 2; z >= 0; z--) {
            u32 wd = data[z * words + i];
            wp ^= wd;
            wq = times2(wq) ^ wd;
        }
        p[i] = wp;
        q[i] = wq;
    }
}

int main(void)
{
    const unsigned words = WORDS_PER_DISK;
    const size_t disk = words * sizeof(u32);
    u32 *h = (u32 *)malloc(DATA_DISKS * disk), *hp = (u32 *)malloc(disk), *hq = (u32 *)malloc(disk);
    for (size_t i = 0; i < (size_t)DATA_DISKS * words; i++) h[i] = (u32)(i * 2654435761u);

    u32 *data, *p, *q;
    HANDLE(cudaMalloc((void **)&data, DATA_DISKS * disk));
    HANDLE(cudaMalloc((void **)&p, disk));
    HANDLE(cudaMalloc((void **)&q, disk));
    HANDLE(cudaMemcpy(data, h, DATA_DISKS * disk, cudaMemcpyHostToDevice));

    gen_syndrome<<<1024, 256>>>(data, p, q, words);
    HANDLE(cudaGetLastError());
    HANDLE(cudaMemcpy(hp, p, disk, cudaMemcpyDeviceToHost));
    HANDLE(cudaMemcpy(hq, q, disk, cudaMemcpyDeviceToHost));

    unsigned bad = 0;
    for (unsigned i = 0; i < words; i += 131) {
        u32 x = 0, y = 0;
        for (int d = DATA_DISKS - 1; d >= 0; d--) {
            x ^= h[d * words + i];
            y = times2(y) ^ h[d * words + i];
        }
        bad += x != hp[i] || y != hq[i];
    }
    puts(bad ? "parity WRONG" : "parity ok");
    cudaFree(data); cudaFree(p); cudaFree(q);
    free(h); free(hp); free(hq);
    return bad != 0;
}
