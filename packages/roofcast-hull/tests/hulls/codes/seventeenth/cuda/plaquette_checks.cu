// Stabiliser checks of a planar code, many shots; a byte for a qubit.
#include <cstdint>
#include <cstdio>
#include <vector>

namespace code {
constexpr int D = 64;          // qubits along a side
constexpr int C = D - 1;       // checks along a side
constexpr int SHOTS = 512;
}

// view of one array of squares, one for each shot
template <class T, int SIDE>
struct Squares {
    T *p;
    __device__ T &operator()(int shot, int y, int x) const { return p[(shot * SIDE + y) * SIDE + x]; }
};

__global__ void syndrome(Squares<const uint8_t, code::D> err, Squares<uint8_t, code::C> syn)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int shot = blockIdx.z;
    if (x >= code::C || y >= code::C) return;
    syn(shot, y, x) = err(shot, y, x) ^ err(shot, y, x + 1) ^ err(shot, y + 1, x) ^ err(shot, y + 1, x + 1);
}

__global__ void detect(const uint8_t *now, const uint8_t *before, uint8_t *event, int *fired, int checks)
{
    const int shot = blockIdx.x;
    const size_t base = (size_t)shot * checks;
    int mine = 0;
    for (int c = threadIdx.x; c < checks; c += blockDim.x) {
        uint8_t e = now[base + c] ^ before[base + c];
        event[base + c] = e;
        mine += e;
    }
    for (int off = 16; off; off >>= 1) mine += __shfl_down_sync(0xffffffffu, mine, off);
    __shared__ int part[4];
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = mine;
    __syncthreads();
    if (threadIdx.x == 0) fired[shot] = part[0] + part[1] + part[2] + part[3];
}

int main()
{
    using namespace code;
    std::vector<uint8_t> e(SHOTS * D * D);
    for (size_t i = 0; i < e.size(); ++i) e[i] = (i * 2654435761u >> 20) % 17 == 0;
    uint8_t *qubits, *s0, *s1, *ev; int *fired;
    cudaMalloc(&qubits, SHOTS * D * D);
    cudaMalloc(&s0, SHOTS * C * C); cudaMalloc(&s1, SHOTS * C * C); cudaMalloc(&ev, SHOTS * C * C);
    cudaMalloc(&fired, SHOTS * sizeof(int));
    cudaMemset(s0, 0, SHOTS * C * C);
    cudaMemcpy(qubits, e.data(), e.size(), cudaMemcpyHostToDevice);
    dim3 block(32, 8), grid((C + 31) / 32, (C + 7) / 8, SHOTS);
    syndrome<<<grid, block>>>(Squares<const uint8_t, D>{qubits}, Squares<uint8_t, C>{s1});
    detect<<<SHOTS, 128>>>(s1, s0, ev, fired, C * C);
    int first;
    cudaMemcpy(&first, fired, sizeof first, cudaMemcpyDeviceToHost);
    printf("%d\n", first);
}
