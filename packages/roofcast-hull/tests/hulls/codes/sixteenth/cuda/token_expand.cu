// Pages of a columnar file, each packed by itself: literal runs and copies from behind; a thread expands a page
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int PAGES = 4096;
constexpr int PACKED = 1024;      // room for a packed page
constexpr int PLAIN = 4096;

__global__ void expand_pages(const uint8_t *__restrict__ packed, const int *__restrict__ lengths, uint8_t *__restrict__ plain)
{
    const int page = blockIdx.x * blockDim.x + threadIdx.x;
    if (page >= PAGES) return;
    const uint8_t *in = packed + (size_t)page * PACKED, *end = in + lengths[page];
    uint8_t *out = plain + (size_t)page * PLAIN;
    while (in < end) {
        const int tag = *in++;
        int n = (tag & 0x7f) + 1;
        if (tag & 0x80) {
            const uint8_t *from = out - (1 + *in++);
            while (n--) *out++ = *from++;
        } else {
            while (n--) *out++ = *in++;
        }
    }
}

int main()
{
    std::vector<uint8_t> h((size_t)PAGES * PACKED);
    std::vector<int> len(PAGES, 130);
    for (int p = 0; p < PAGES; p++) {
        uint8_t *q = &h[(size_t)p * PACKED];
        q[0] = 63;
        for (int i = 0; i < 64; i++) q[1 + i] = (uint8_t)(p + i);
        for (int i = 65; i + 1 < 131; i += 2) { q[i] = 0x80 | 100; q[i + 1] = 40; }
        len[p] = 65 + 2 * 32;
    }
    uint8_t *packed, *plain; int *lengths;
    cudaMalloc(&packed, h.size());
    cudaMalloc(&plain, (size_t)PAGES * PLAIN);
    cudaMalloc(&lengths, PAGES * sizeof(int));
    cudaMemcpy(packed, h.data(), h.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(lengths, len.data(), PAGES * sizeof(int), cudaMemcpyHostToDevice);
    expand_pages<<<PAGES / 64, 64>>>(packed, lengths, plain);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
