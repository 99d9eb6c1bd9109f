// Kinship of pairs of people (lower triangle) from genotypes of 0, 1 or 2: shared alleles by words of bits.
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int PEOPLE = 1024;
constexpr int WORDS = 64;    // 2048 markers
constexpr int T = 16;

// One block for each pair of groups of 16 people on or below the diagonal.
__device__ void unfold(int b, int &row, int &col)
{
    row = (int)((sqrtf(8.0f * b + 1.0f) - 1.0f) * 0.5f);
    while ((row + 1) * (row + 2) / 2 <= b) ++row;
    while (row * (row + 1) / 2 > b) --row;
    col = b - row * (row + 1) / 2;
}

__global__ void kinship(const uint32_t *lo, const uint32_t *hi, float *out)
{
    int row, col;
    unfold(blockIdx.x, row, col);
    int i = row * T + threadIdx.y, j = col * T + threadIdx.x;
    if (j > i) return;
    int same = 0;
    for (int w = 0; w < WORDS; ++w) {
        uint32_t differ = (lo[i * WORDS + w] ^ lo[j * WORDS + w]) | (hi[i * WORDS + w] ^ hi[j * WORDS + w]);
        same += __popc(~differ);
    }
    out[i * PEOPLE + j] = same * (1.0f / (32 * WORDS));
}

// heterozygous markers of each person
__global__ void heterozygosity(const uint32_t *lo, const uint32_t *hi, float *het)
{
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    int n = 0;
    for (int w = threadIdx.x; w < WORDS; w += 32) n += __popc(lo[i * WORDS + w] & ~hi[i * WORDS + w]);
    n = __reduce_add_sync(0xffffffffu, n);
    if (threadIdx.x == 0) het[i] = n / (32.0f * WORDS);
}

int main()
{
    std::vector<uint32_t> a(PEOPLE * WORDS), b(PEOPLE * WORDS);
    uint32_t s = 99;
    for (size_t k = 0; k < a.size(); ++k) {
        s = s * 1664525u + 1013904223u;
        a[k] = s ^ s >> 11;
        b[k] = ~a[k] & (s << 7);
    }
    uint32_t *lo, *hi; float *out, *het;
    cudaMalloc(&lo, a.size() * 4); cudaMalloc(&hi, a.size() * 4);
    cudaMalloc(&out, PEOPLE * PEOPLE * 4); cudaMalloc(&het, PEOPLE * 4);
    cudaMemcpy(lo, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(hi, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
    constexpr int groups = PEOPLE / T;
    kinship<<<groups * (groups + 1) / 2, dim3(T, T)>>>(lo, hi, out);
    heterozygosity<<<PEOPLE / 4, dim3(32, 4)>>>(lo, hi, het);
    float v;
    cudaMemcpy(&v, out + 500 * PEOPLE + 20, 4, cudaMemcpyDeviceToHost);
    printf("%f\n", v);
}
