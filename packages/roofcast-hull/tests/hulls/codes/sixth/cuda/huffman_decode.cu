// Decoding of independently Huffman-coded segments: each thread follows the code tree bit by bit through its own bit stream.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define SEGMENTS 8000
#define WORDS_PER_SEGMENT 64
#define MAX_SYMBOLS 2048

struct Node {
    int16_t child[2]; // a negative number is a leaf: -(symbol + 1)
};

__global__ void decode(const uint32_t *bits, const int *bitCounts, const Node *tree, uint8_t *symbols, int *symbolCounts, int segments)
{
    const int seg = blockIdx.x * blockDim.x + threadIdx.x;
    if (seg >= segments) return;
    const uint32_t *stream = bits + seg * WORDS_PER_SEGMENT;
    const int length = bitCounts[seg];
    uint8_t *out = symbols + seg * MAX_SYMBOLS;
    int pos = 0, count = 0;
    while (pos < length && count < MAX_SYMBOLS) {
        int node = 0;
        do {
            const int bit = (stream[pos >> 5] >> (pos & 31)) & 1;
            node = tree[node].child[bit];
            ++pos;
        } while (node >= 0 && pos < length);
        if (node < 0) out[count++] = (uint8_t)(-node - 1);
    }
    symbolCounts[seg] = count;
}

int main()
{
    const Node tree[4] = {{{-1, 1}}, {{-2, 2}}, {{-3, 3}}, {{-4, -5}}};
    std::vector<uint32_t> bits(SEGMENTS * WORDS_PER_SEGMENT);
    for (auto &w : bits) w = ((uint32_t)rand() << 16) ^ (uint32_t)rand();
    std::vector<int> lengths(SEGMENTS);
    for (auto &l : lengths) l = 1500 + rand() % 500;

    uint32_t *dBits;
    int *dLengths, *dCounts;
    Node *dTree;
    uint8_t *dSymbols;
    cudaMalloc(&dBits, bits.size() * sizeof(uint32_t));
    cudaMalloc(&dLengths, SEGMENTS * sizeof(int));
    cudaMalloc(&dCounts, SEGMENTS * sizeof(int));
    cudaMalloc(&dTree, sizeof(tree));
    cudaMalloc(&dSymbols, (size_t)SEGMENTS * MAX_SYMBOLS);
    cudaMemcpy(dBits, bits.data(), bits.size() * sizeof(uint32_t), cudaMemcpyHostToDevice);
    cudaMemcpy(dLengths, lengths.data(), SEGMENTS * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dTree, tree, sizeof(tree), cudaMemcpyHostToDevice);
    decode<<<(SEGMENTS + 255) / 256, 256>>>(dBits, dLengths, dTree, dSymbols, dCounts, SEGMENTS);
    std::vector<int> counts(SEGMENTS);
    cudaMemcpy(counts.data(), dCounts, SEGMENTS * sizeof(int), cudaMemcpyDeviceToHost);
    printf("segment 0: %d symbols\n", counts[0]);
    cudaFree(dBits);
    cudaFree(dLengths);
    cudaFree(dCounts);
    cudaFree(dTree);
    cudaFree(dSymbols);
    return 0;
}
