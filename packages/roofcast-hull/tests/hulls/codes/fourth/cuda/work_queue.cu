#include <cuda_runtime.h>
#include <stdio.h>

#define CAPACITY (1 << 20)

// Flood fill: blocks that stay take cells from a queue until it is empty, and append their neighbours.
__global__ void flood(const unsigned char *wall, int *seen, int *queue, unsigned int *head, unsigned int *tail, int w, int h)
{
    while (true) {
        unsigned int at = atomicAdd(head, 1u);
        if (at >= *(volatile unsigned int *)tail) break;
        int cell = queue[at];
        int x = cell % w, y = cell / w;
        const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
        for (int d = 0; d < 4; ++d) {
            int nx = x + dx[d], ny = y + dy[d];
            if (nx < 0 || ny < 0 || nx >= w || ny >= h || wall[ny * w + nx]) continue;
            if (atomicExch(&seen[ny * w + nx], 1) == 0) queue[atomicAdd(tail, 1u)] = ny * w + nx;
        }
    }
}

int main()
{
    const int w = 1000, h = 800;
    unsigned char *wall;
    int *seen, *queue;
    unsigned int *ends;
    cudaMallocManaged(&wall, w * h);
    cudaMallocManaged(&seen, w * h * sizeof(int));
    cudaMallocManaged(&queue, CAPACITY * sizeof(int));
    cudaMallocManaged(&ends, 2 * sizeof(unsigned int));
    for (int i = 0; i < w * h; ++i) {
        wall[i] = i % 7 == 3;
        seen[i] = 0;
    }
    queue[0] = 0;
    seen[0] = 1;
    ends[0] = 0;
    ends[1] = 1;
    flood<<<8, 128>>>(wall, seen, queue, ends, ends + 1, w, h);
    cudaDeviceSynchronize();
    printf("%u cells\n", ends[1]);
    cudaFree(wall);
    cudaFree(seen);
    cudaFree(queue);
    cudaFree(ends);
    return 0;
}
