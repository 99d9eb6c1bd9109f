// Reversi bitboards: legal moves of a million positions, eight directions of flood each.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned long long u64;

#define N_BOARDS 1000000
#define NOT_EDGE 0x7e7e7e7e7e7e7e7eull

template <int S>
__device__ u64 up(u64 own, u64 mask) {
    u64 f = (own << S) & mask;
    for (int i = 0; i < 5; i++) f |= (f << S) & mask;
    return f << S;
}

template <int S>
__device__ u64 down(u64 own, u64 mask) {
    u64 f = (own >> S) & mask;
    for (int i = 0; i < 5; i++) f |= (f >> S) & mask;
    return f >> S;
}

__global__ void legal_moves(const u64 *own, const u64 *opp, u64 *moves) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N_BOARDS) return;
    u64 me = own[i], them = opp[i];
    u64 inner = them & NOT_EDGE;
    u64 m = up<1>(me, inner) | down<1>(me, inner);
    m |= up<8>(me, them) | down<8>(me, them);
    m |= up<7>(me, inner) | down<7>(me, inner);
    m |= up<9>(me, inner) | down<9>(me, inner);
    moves[i] = m & ~(me | them);
}

int main() {
    std::vector<u64> a(N_BOARDS), b(N_BOARDS);
    u64 s = 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < N_BOARDS; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        a[i] = s & (s >> 7);
        b[i] = (s << 11) & ~a[i];
    }
    u64 *da, *db, *dm;
    cudaMalloc(&da, N_BOARDS * sizeof(u64));
    cudaMalloc(&db, N_BOARDS * sizeof(u64));
    cudaMalloc(&dm, N_BOARDS * sizeof(u64));
    cudaMemcpy(da, a.data(), N_BOARDS * sizeof(u64), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), N_BOARDS * sizeof(u64), cudaMemcpyHostToDevice);
    legal_moves<<<(N_BOARDS + 255) / 256, 256>>>(da, db, dm);
    cudaMemcpy(a.data(), dm, N_BOARDS * sizeof(u64), cudaMemcpyDeviceToHost);
    printf("%llx\n", a[5]);
}
