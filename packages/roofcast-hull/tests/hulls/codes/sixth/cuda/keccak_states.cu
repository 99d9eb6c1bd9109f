// Keccak-f[1600] over many independent states, lane-major so that neighbouring threads read neighbouring words.
#include <cstdint>
#include <cstdio>
#include <vector>

static const int N_STATES = 40000;

__constant__ uint64_t RC[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull,
    0x000000000000808bull, 0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull,
    0x000000000000008aull, 0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull,
    0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull, 0x8000000000008003ull,
    0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800aull, 0x800000008000000aull,
    0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};

__device__ __forceinline__ uint64_t rotl(uint64_t x, int n)
{
    return (x << n) | (x >> (64 - n));
}

__global__ void keccak_f1600(uint64_t *state, int n)
{
    const int rot[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
    const int pil[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};

    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;

    uint64_t a[25], c[5];
#pragma unroll
    for (int i = 0; i < 25; ++i) a[i] = state[i * n + t];

    for (int round = 0; round < 24; ++round) {
        // theta
#pragma unroll
        for (int x = 0; x < 5; ++x) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
        for (int x = 0; x < 5; ++x) {
            const uint64_t d = c[(x + 4) % 5] ^ rotl(c[(x + 1) % 5], 1);
#pragma unroll
            for (int y = 0; y < 25; y += 5) a[y + x] ^= d;
        }
        // rho and pi
        uint64_t held = a[1];
#pragma unroll
        for (int i = 0; i < 24; ++i) {
            const uint64_t next = a[pil[i]];
            a[pil[i]] = rotl(held, rot[i]);
            held = next;
        }
        // chi
#pragma unroll
        for (int y = 0; y < 25; y += 5) {
            uint64_t row[5];
#pragma unroll
            for (int x = 0; x < 5; ++x) row[x] = a[y + x];
#pragma unroll
            for (int x = 0; x < 5; ++x) a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
        }
        // iota
        a[0] ^= RC[round];
    }

#pragma unroll
    for (int i = 0; i < 25; ++i) state[i * n + t] = a[i];
}

int main()
{
    std::vector<uint64_t> h(25 * N_STATES, 0);
    for (int t = 0; t < N_STATES; ++t) h[t] = t;
    uint64_t *d = nullptr;
    const size_t bytes = h.size() * sizeof(uint64_t);
    if (cudaMalloc(&d, bytes) != cudaSuccess) {
        std::puts("no memory");
        return 1;
    }
    cudaMemcpy(d, h.data(), bytes, cudaMemcpyHostToDevice);
    keccak_f1600<<<(N_STATES + 127) / 128, 128>>>(d, N_STATES);
    cudaMemcpy(h.data(), d, bytes, cudaMemcpyDeviceToHost);
    // known answer for the all-zero state: f1258f7940e1dde7
    std::printf("%016llx\n", (unsigned long long)h[0]);
    cudaFree(d);
    return 0;
}
