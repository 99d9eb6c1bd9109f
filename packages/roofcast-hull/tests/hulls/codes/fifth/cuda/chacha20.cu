#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// ChaCha20: every thread makes the 64 bytes of one counter and adds them to the text.
#define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define QUARTER(a, b, c, d)             \
    a += b; d ^= a; d = ROTL(d, 16);    \
    c += d; b ^= c; b = ROTL(b, 12);    \
    a += b; d ^= a; d = ROTL(d, 8);     \
    c += d; b ^= c; b = ROTL(b, 7);

struct KeyNonce {
    uint32_t key[8];
    uint32_t nonce[3];
};

__global__ void chacha20_xor(const uint32_t* text, uint32_t* out, KeyNonce kn, uint32_t counter, int blocks)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;

    uint32_t init[16], x[16];
    init[0] = 0x61707865u;
    init[1] = 0x3320646eu;
    init[2] = 0x79622d32u;
    init[3] = 0x6b206574u;
    for (int i = 0; i < 8; ++i) init[4 + i] = kn.key[i];
    init[12] = counter + b;
    for (int i = 0; i < 3; ++i) init[13 + i] = kn.nonce[i];
    for (int i = 0; i < 16; ++i) x[i] = init[i];

    for (int round = 0; round < 10; ++round) {
        QUARTER(x[0], x[4], x[8], x[12])
        QUARTER(x[1], x[5], x[9], x[13])
        QUARTER(x[2], x[6], x[10], x[14])
        QUARTER(x[3], x[7], x[11], x[15])
        QUARTER(x[0], x[5], x[10], x[15])
        QUARTER(x[1], x[6], x[11], x[12])
        QUARTER(x[2], x[7], x[8], x[13])
        QUARTER(x[3], x[4], x[9], x[14])
    }
    for (int i = 0; i < 16; ++i)
        out[16 * b + i] = text[16 * b + i] ^ (x[i] + init[i]);
}

int main()
{
    const int blocks = 65536;
    const size_t words = 16 * (size_t)blocks;
    std::vector<uint32_t> plain(words), cipher(words), again(words);
    for (size_t i = 0; i < words; ++i) plain[i] = (uint32_t)i;
    KeyNonce kn;
    for (int i = 0; i < 8; ++i) kn.key[i] = 0x03020100u + 0x04040404u * i;
    kn.nonce[0] = 0x09000000u;
    kn.nonce[1] = 0x4a000000u;
    kn.nonce[2] = 0;

    uint32_t *d_in, *d_out;
    if (cudaMalloc(&d_in, words * 4) || cudaMalloc(&d_out, words * 4)) {
        fprintf(stderr, "cudaMalloc\n");
        return 1;
    }
    cudaMemcpy(d_in, plain.data(), words * 4, cudaMemcpyHostToDevice);
    const int tpb = 128;
    chacha20_xor<<<(blocks + tpb - 1) / tpb, tpb>>>(d_in, d_out, kn, 1u, blocks);
    cudaMemcpy(cipher.data(), d_out, words * 4, cudaMemcpyDeviceToHost);
    // and back
    cudaMemcpy(d_in, cipher.data(), words * 4, cudaMemcpyHostToDevice);
    chacha20_xor<<<(blocks + tpb - 1) / tpb, tpb>>>(d_in, d_out, kn, 1u, blocks);
    cudaMemcpy(again.data(), d_out, words * 4, cudaMemcpyDeviceToHost);

    printf("first word of the key stream %08x\n", cipher[0] ^ plain[0]);
    printf("%s\n", again == plain ? "text recovered" : "text LOST");
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
