#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// seven columns of seven bits, the top bit of a column is always empty
typedef unsigned long long u64;
struct Board { u64 me, opp; };
constexpr u64 CENTRE = 0x7FULL << 21;
const int N = 1 << 20;

template <int D> __device__ int threes(u64 b)
{
    u64 pair = b & (b >> D);
    return __popcll(pair & (b >> (2 * D)));
}

__device__ int score(u64 b)
{
    int t = threes<1>(b) + threes<6>(b) + threes<7>(b) + threes<8>(b);
    return 8 * t + __popcll(b & CENTRE);
}

__global__ void evaluate(const Board *boards, short *value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        Board b = boards[i];
        value[i] = (short)(score(b.me) - score(b.opp));
    }
}

__device__ u64 mirror(u64 b)
{
    u64 r = 0;
#pragma unroll
    for (int c = 0; c < 7; c++)
        r |= ((b >> (7 * c)) & 127ULL) << (7 * (6 - c));
    return r;
}

__global__ void table_key(const Board *boards, u64 *key)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        u64 k = boards[i].me * 0x9E3779B97F4A7C15ULL ^ boards[i].opp;
        u64 m = mirror(boards[i].me) * 0x9E3779B97F4A7C15ULL ^ mirror(boards[i].opp);
        key[i] = k < m ? k : m;
    }
}

int main()
{
    std::vector<Board> h(N);
    u64 s = 88172645463325252ULL;
    for (auto &b : h) {
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        b.me = s & 0xFDFBF7EFDFBFULL; b.opp = ~s & 0xFDFBF7EFDFBFULL & (s << 9);
    }
    Board *d; short *v; u64 *k;
    cudaMalloc(&d, N * sizeof(Board));
    cudaMalloc(&v, N * sizeof(short));
    cudaMalloc(&k, N * sizeof(u64));
    cudaMemcpy(d, h.data(), N * sizeof(Board), cudaMemcpyHostToDevice);
    evaluate<<<N / 256, 256>>>(d, v);
    table_key<<<512, 256>>>(d, k);
    short first[8];
    cudaMemcpy(first, v, sizeof first, cudaMemcpyDeviceToHost);
    for (short x : first) printf("%d ", x);
    puts("");
}
