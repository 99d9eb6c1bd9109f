// volume[z][y][x] -> volume[x][z][y], a tile of each plane through shared memory
#include <cstdio>
#include <cuda_runtime.h>

enum { Z = 128, Y = 96, X = 160, T = 32, ROWS = 8 };

__global__ void cycle_axes(const float *in, float *out)
{
    __shared__ float tile[T][T + 1];
    int z = blockIdx.z;
    int x = blockIdx.x * T + threadIdx.x;
    int y = blockIdx.y * T + threadIdx.y;
    for (int j = 0; j < T; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(z * Y + y + j) * X + x];
    __syncthreads();
    x = blockIdx.x * T + threadIdx.y;
    y = blockIdx.y * T + threadIdx.x;
    for (int j = 0; j < T; j += ROWS)
        out[((x + j) * Z + z) * Y + y] = tile[threadIdx.x][threadIdx.y + j];
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, sizeof(float) * X * Y * Z);
    cudaMallocManaged(&b, sizeof(float) * X * Y * Z);
    for (int i = 0; i < X * Y * Z; i++) a[i] = i;
    cycle_axes<<<dim3(X / T, Y / T, Z), dim3(T, ROWS)>>>(a, b);
    cudaDeviceSynchronize();
    printf("%f, should be %f\n", b[(5 * Z + 7) * Y + 9], a[(7 * Y + 9) * X + 5]);
}
