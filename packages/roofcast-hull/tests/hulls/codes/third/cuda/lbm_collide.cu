// Collision of a lattice gas of nine speeds, single relaxation time. Structure of arrays, in place.
#include <cuda_runtime.h>

#define Q 9
#define CELLS (1024 * 512)

__constant__ int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weight[Q] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void collide(float *f, float omega)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= CELLS) return;
    float rho = 0.f, ux = 0.f, uy = 0.f;
    float local[Q];
    for (int q = 0; q < Q; q++) {
        local[q] = f[q * CELLS + cell];
        rho += local[q];
        ux += cx[q] * local[q];
        uy += cy[q] * local[q];
    }
    ux /= rho;
    uy /= rho;
    float square = 1.5f * (ux * ux + uy * uy);
    for (int q = 0; q < Q; q++) {
        float cu = 3.f * (cx[q] * ux + cy[q] * uy);
        float feq = weight[q] * rho * (1.f + cu + 0.5f * cu * cu - square);
        f[q * CELLS + cell] = local[q] + omega * (feq - local[q]);
    }
}

int main()
{
    float *f;
    cudaMalloc(&f, Q * CELLS * sizeof(float));
    for (int step = 0; step < 1000; step++) collide<<<CELLS / 128, 128>>>(f, 1.7f);
    cudaDeviceSynchronize();
    return 0;
}
