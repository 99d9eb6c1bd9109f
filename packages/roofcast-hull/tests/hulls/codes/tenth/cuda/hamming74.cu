// Hamming(7,4): each byte becomes two code words, and comes back with single bit errors repaired.
// By hand: 25 bit operations a code word and 2 for the nibbles; 21 a code word and 2 to join on the way back.
// Verified: counted twice by reading; compiled with nvcc, not run.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define SIZE (16 * 1024 * 1024)

typedef unsigned char u8;

__device__ unsigned encode4(unsigned d)
{
    unsigned d0 = d & 1;
    unsigned d1 = (d >> 1) & 1;
    unsigned d2 = (d >> 2) & 1;
    unsigned d3 = (d >> 3) & 1;
    unsigned p1 = d0 ^ d1 ^ d3;
    unsigned p2 = d0 ^ d2 ^ d3;
    unsigned p4 = d1 ^ d2 ^ d3;
    return p1 | (p2 << 1) | (d0 << 2) | (p4 << 3) | (d1 << 4) | (d2 << 5) | (d3 << 6);
}

__device__ unsigned decode7(unsigned c)
{
    unsigned s1 = __popc(c & 0x55) & 1;
    unsigned s2 = __popc(c & 0x66) & 1;
    unsigned s4 = __popc(c & 0x78) & 1;
    unsigned s = s1 | (s2 << 1) | (s4 << 2);
    c ^= (1u << s) >> 1;
    return ((c >> 2) & 1) | ((c >> 3) & 0xE);
}

extern "C" __global__ void hamming_encode(const u8 *data, uchar2 *code, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = data[i];
    code[i] = make_uchar2(encode4(v & 15), encode4(v >> 4));
}

extern "C" __global__ void hamming_decode(const uchar2 *code, u8 *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar2 c = code[i];
    data[i] = decode7(c.x) | (decode7(c.y) << 4);
}

int main(void)
{
    u8 *in = (u8 *)malloc(SIZE), *back = (u8 *)malloc(SIZE);
    uchar2 *words = (uchar2 *)malloc(SIZE * sizeof(uchar2));
    u8 *d_in, *d_back;
    uchar2 *d_words;
    for (int i = 0; i < SIZE; i++) in[i] = (u8)(rand() >> 7);
    cudaMalloc((void **)&d_in, SIZE);
    cudaMalloc((void **)&d_back, SIZE);
    cudaMalloc((void **)&d_words, SIZE * sizeof(uchar2));
    cudaMemcpy(d_in, in, SIZE, cudaMemcpyHostToDevice);

    hamming_encode<<<SIZE / 256, 256>>>(d_in, d_words, SIZE);
    cudaMemcpy(words, d_words, SIZE * sizeof(uchar2), cudaMemcpyDeviceToHost);
    for (int i = 0; i < SIZE; i += 3) words[i].x ^= 1 << (i % 7);   // the noisy channel
    cudaMemcpy(d_words, words, SIZE * sizeof(uchar2), cudaMemcpyHostToDevice);
    hamming_decode<<<SIZE / 256, 256>>>(d_words, d_back, SIZE);
    cudaMemcpy(back, d_back, SIZE, cudaMemcpyDeviceToHost);

    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(e));
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < SIZE; i++) wrong += in[i] != back[i];
    printf("%d bytes wrong\n", wrong);
    cudaFree(d_in); cudaFree(d_back); cudaFree(d_words);
    free(in); free(back); free(words);
    return 0;
}
