// Drainage: from each cell of an elevation grid walk down the D8 pointers until a sink, note the sink's label
// and the length of the way. How long a walk is, the terrain decides: no class.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#define ROWS 1024
#define COLS 1024

__global__ void trace_to_sink(const int *receiver, int *basin, int *length, int n)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= n) return;
    int at = cell, steps = 0;
    while (receiver[at] != at) {
        at = receiver[at];
        ++steps;
    }
    basin[cell] = at;
    length[cell] = steps;
}

int main()
{
    const int n = ROWS * COLS;
    std::vector<int> recv(n);
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLS; ++c) {
            int nr = (r % 64 == 63 || r == ROWS - 1) ? r : r + 1;
            int nc = (c % 32 == 0) ? c : c - 1;
            recv[r * COLS + c] = nr * COLS + nc;
        }
    int *d_recv, *d_basin, *d_len;
    cudaMalloc(&d_recv, n * sizeof(int));
    cudaMalloc(&d_basin, n * sizeof(int));
    cudaMalloc(&d_len, n * sizeof(int));
    cudaMemcpy(d_recv, recv.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    trace_to_sink<<<(n + 255) / 256, 256>>>(d_recv, d_basin, d_len, n);
    cudaMemcpy(recv.data(), d_basin, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("cell 0 drains to %d\n", recv[0]);
    cudaFree(d_recv); cudaFree(d_basin); cudaFree(d_len);
    return 0;
}
