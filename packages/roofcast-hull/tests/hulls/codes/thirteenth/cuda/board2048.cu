// Boards of 2048 in 64 bits: a move to the left by a table of rows, and the empty squares afterwards.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned long long board_t;
static const int BOARDS = 1 << 20;

__global__ void slide_left(const board_t* in, const uint16_t* rows, board_t* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    board_t b = in[i], r = 0;
    for (int k = 0; k < 4; k++) {
        unsigned row = (unsigned)((b >> (16 * k)) & 0xffff);
        r |= (board_t)rows[row] << (16 * k);
    }
    out[i] = r;
}

__global__ void empties(const board_t* in, uint8_t* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    board_t b = in[i];
    b |= b >> 2;
    b |= b >> 1;
    count[i] = (uint8_t)__popcll(~b & 0x1111111111111111ull);
}

static uint16_t left(unsigned row)
{
    int c[4], out[4] = {0, 0, 0, 0}, n = 0, open = 0;
    for (int k = 0; k < 4; k++) c[k] = row >> (4 * k) & 15;
    for (int k = 0; k < 4; k++) {
        if (!c[k]) continue;
        if (open && out[n - 1] == c[k] && c[k] < 15) { out[n - 1]++; open = 0; }
        else { out[n++] = c[k]; open = 1; }
    }
    return (uint16_t)(out[0] | out[1] << 4 | out[2] << 8 | out[3] << 12);
}

int main()
{
    std::vector<board_t> hb(BOARDS);
    std::vector<uint16_t> hr(65536);
    board_t s = 88172645463325252ull;
    for (auto& b : hb) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; b = s & 0x3333033333303333ull; }
    for (unsigned r = 0; r < 65536; r++) hr[r] = left(r);
    board_t *in, *out;
    uint16_t* rows;
    uint8_t* cnt;
    cudaMalloc(&in, BOARDS * sizeof(board_t));
    cudaMalloc(&out, BOARDS * sizeof(board_t));
    cudaMalloc(&rows, 65536 * sizeof(uint16_t));
    cudaMalloc(&cnt, BOARDS * sizeof(uint8_t));
    cudaMemcpy(in, hb.data(), BOARDS * sizeof(board_t), cudaMemcpyHostToDevice);
    cudaMemcpy(rows, hr.data(), 65536 * sizeof(uint16_t), cudaMemcpyHostToDevice);
    slide_left<<<BOARDS / 256, 256>>>(in, rows, out);
    empties<<<BOARDS / 256, 256>>>(out, cnt, BOARDS);
    uint8_t c;
    cudaMemcpy(&c, cnt, 1, cudaMemcpyDeviceToHost);
    printf("%d\n", c);
}
