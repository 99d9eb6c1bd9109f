#include <cuda_runtime.h>
#define IDX(i, j) ((i) * NX + (j))
const int NX = 1536;
const int NY = 1024;

/* third-order-ish upwind transport, wind from the south-west only */
__global__ void transport(const float *q, const float *u, const float *v, float *out, float dtdx)
{
    const int j = blockIdx.x * 64 + threadIdx.x;
    const int i = blockIdx.y;
    if (i < 2 || j < 2)
        return;
    float ddx = 1.5f * q[IDX(i, j)] - 2.0f * q[IDX(i, j - 1)] + 0.5f * q[IDX(i, j - 2)];
    float ddy = 1.5f * q[IDX(i, j)] - 2.0f * q[IDX(i - 1, j)] + 0.5f * q[IDX(i - 2, j)];
    out[IDX(i, j)] = q[IDX(i, j)] - dtdx * (u[IDX(i, j)] * ddx + v[IDX(i, j)] * ddy);
}

int main()
{
    float *q, *u, *v, *out;
    const size_t bytes = sizeof(float) * NX * NY;
    cudaMalloc(&q, bytes);
    cudaMalloc(&u, bytes);
    cudaMalloc(&v, bytes);
    cudaMalloc(&out, bytes);
    dim3 grid(NX / 64, NY);
    for (int t = 0; t < 50; ++t) {
        transport<<<grid, 64>>>(q, u, v, out, 0.1f);
        float *swap = q;
        q = out;
        out = swap;
    }
    cudaDeviceSynchronize();
    return 0;
}
