// Griffeath's cyclic cellular automaton on a torus: a cell advances where a neighbour is one state ahead.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

typedef unsigned char cell;
enum { SIDE = 2048, STATES = 16 };

__global__ void advance(const cell *now, cell *then)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int s = now[y * SIDE + x];
    int next = (s + 1) & (STATES - 1);
    bool eaten = false;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0) continue;
            int nx = (x + dx + SIDE) % SIDE, ny = (y + dy + SIDE) % SIDE;
            eaten |= now[ny * SIDE + nx] == next;
        }
    then[y * SIDE + x] = (cell)(eaten ? next : s);
}

__global__ void to_grey(const cell *c, unsigned char *rgb)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char g = (unsigned char)(c[i] * 17);
    rgb[3 * i] = g;
    rgb[3 * i + 1] = g;
    rgb[3 * i + 2] = (unsigned char)(255 - g);
}

int main()
{
    cell *h = (cell *)malloc(SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) h[i] = rand() % STATES;
    cell *a, *b;
    unsigned char *rgb;
    cudaMalloc(&a, SIDE * SIDE);
    cudaMalloc(&b, SIDE * SIDE);
    cudaMalloc(&rgb, 3 * SIDE * SIDE);
    cudaMemcpy(a, h, SIDE * SIDE, cudaMemcpyHostToDevice);
    dim3 t(64, 4), g(SIDE / 64, SIDE / 4);
    for (int gen = 0; gen < 100; gen++) {
        advance<<<g, t>>>(a, b);
        cell *swap = a; a = b; b = swap;
    }
    to_grey<<<SIDE * SIDE / 256, 256>>>(a, rgb);
    cudaMemcpy(h, a, SIDE * SIDE, cudaMemcpyDeviceToHost);
    printf("%d\n", h[SIDE + 5]);
    free(h);
    return 0;
}
