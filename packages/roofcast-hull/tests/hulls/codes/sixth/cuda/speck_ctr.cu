// SPECK64/128 in counter mode. The message is cut into four parts, each copied, enciphered and copied back on its own stream.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

#define ROUNDS 27
#define NSTREAMS 4
#define NBLOCKS 3000000 /* blocks of 8 bytes */

#define ROR32(x, r) (((x) >> (r)) | ((x) << (32 - (r))))
#define ROL32(x, r) (((x) << (r)) | ((x) >> (32 - (r))))

__constant__ uint32_t d_rk[ROUNDS];

__global__ void speck64_ctr(const uint2 *in, uint2 *out, uint32_t nonce, uint32_t first, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    uint32_t x = nonce;
    uint32_t y = first + i;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        x = (ROR32(x, 8) + y) ^ d_rk[r];
        y = ROL32(y, 3) ^ x;
    }

    uint2 m = in[i];
    m.x ^= y;
    m.y ^= x;
    out[i] = m;
}

static void expand_key(const uint32_t key[4], uint32_t rk[ROUNDS])
{
    uint32_t a = key[0], l[ROUNDS + 2];
    l[0] = key[1];
    l[1] = key[2];
    l[2] = key[3];
    for (int i = 0; i < ROUNDS; i++) {
        rk[i] = a;
        if (i + 3 < ROUNDS + 2) {
            l[i + 3] = (a + ROR32(l[i], 8)) ^ (uint32_t)i;
            a = ROL32(a, 3) ^ l[i + 3];
        } else {
            uint32_t t = (a + ROR32(l[i], 8)) ^ (uint32_t)i;
            a = ROL32(a, 3) ^ t;
        }
    }
}

int main(void)
{
    const uint32_t key[4] = {0x03020100, 0x0b0a0908, 0x13121110, 0x1b1a1918};
    uint32_t rk[ROUNDS];
    expand_key(key, rk);
    cudaMemcpyToSymbol(d_rk, rk, sizeof rk);

    uint2 *h, *d_in, *d_out;
    cudaMallocHost((void **)&h, sizeof(uint2) * NBLOCKS);
    memset(h, 0x5a, sizeof(uint2) * NBLOCKS);
    cudaMalloc((void **)&d_in, sizeof(uint2) * NBLOCKS);
    cudaMalloc((void **)&d_out, sizeof(uint2) * NBLOCKS);

    cudaStream_t streams[NSTREAMS];
    const int part = NBLOCKS / NSTREAMS;
    for (int s = 0; s < NSTREAMS; s++) {
        const int off = s * part;
        cudaStreamCreate(&streams[s]);
        cudaMemcpyAsync(d_in + off, h + off, part * sizeof(uint2), cudaMemcpyHostToDevice, streams[s]);
        speck64_ctr<<<(part + 191) / 192, 192, 0, streams[s]>>>(d_in + off, d_out + off, 0xdeadbeefu, (uint32_t)off, part);
        cudaMemcpyAsync(h + off, d_out + off, part * sizeof(uint2), cudaMemcpyDeviceToHost, streams[s]);
    }
    cudaDeviceSynchronize();
    printf("%08x %08x\n", h[0].x, h[0].y);
    for (int s = 0; s < NSTREAMS; s++)
        cudaStreamDestroy(streams[s]);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFreeHost(h);
    return 0;
}
