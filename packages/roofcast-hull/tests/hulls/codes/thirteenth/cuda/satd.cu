// Sum of absolute Hadamard-transformed differences of 4 x 4 blocks of two luma planes.
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cuda_runtime.h>

#define WIDTH 1920
#define HEIGHT 1088

#define BUTTERFLY(a, b, c, d)                     \
    {                                             \
        int s0 = a + b, s1 = a - b;               \
        int s2 = c + d, s3 = c - d;               \
        a = s0 + s2; b = s1 + s3;                 \
        c = s0 - s2; d = s1 - s3;                 \
    }

__global__ void satd4(const uint8_t* cur, const uint8_t* ref, int* cost)
{
    int bx = blockIdx.x * blockDim.x + threadIdx.x;
    int by = blockIdx.y * blockDim.y + threadIdx.y;
    if (bx >= WIDTH / 4 || by >= HEIGHT / 4) return;
    int m[4][4];
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) {
            int at = (4 * by + y) * WIDTH + 4 * bx + x;
            m[y][x] = cur[at] - ref[at];
        }
    for (int y = 0; y < 4; y++) BUTTERFLY(m[y][0], m[y][1], m[y][2], m[y][3])
    for (int x = 0; x < 4; x++) BUTTERFLY(m[0][x], m[1][x], m[2][x], m[3][x])
    int sum = 0;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) sum += abs(m[y][x]);
    cost[by * (WIDTH / 4) + bx] = (sum + 1) >> 1;
}

int main()
{
    uint8_t *a, *b;
    int* c;
    cudaMallocManaged(&a, WIDTH * HEIGHT);
    cudaMallocManaged(&b, WIDTH * HEIGHT);
    cudaMallocManaged(&c, WIDTH * HEIGHT / 16 * sizeof(int));
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        a[i] = rand() & 255;
        b[i] = (a[i] + rand() % 9) & 255;
    }
    dim3 t(32, 4), g((WIDTH / 4 + 31) / 32, (HEIGHT / 4 + 3) / 4);
    satd4<<<g, t>>>(a, b, c);
    cudaDeviceSynchronize();
    printf("%d\n", c[100]);
    return 0;
}
