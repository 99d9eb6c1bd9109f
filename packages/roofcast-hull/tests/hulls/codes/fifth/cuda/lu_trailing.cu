// Blocked LU without pivoting, one step: the panel and the row of blocks have been factorised on the host,
// the GPU updates what is left of the matrix.   usage: ./lu_trailing [n] [step]
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define BS 16
#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t e_ = (call);                                                          \
        if (e_ != cudaSuccess) {                                                          \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));    \
            exit(EXIT_FAILURE);                                                           \
        }                                                                                 \
    } while (0)

__global__ void lu_trailing(float *m, int dim, int offset)
{
    __shared__ float below[BS][BS];
    __shared__ float right[BS][BS];

    const int row0 = offset + (blockIdx.y + 1) * BS;
    const int col0 = offset + (blockIdx.x + 1) * BS;

    below[threadIdx.y][threadIdx.x] = m[(row0 + threadIdx.y) * dim + offset + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = m[(offset + threadIdx.y) * dim + col0 + threadIdx.x];
    __syncthreads();

    float acc = 0;
    for (int k = 0; k < BS; k++)
        acc += below[threadIdx.y][k] * right[k][threadIdx.x];
    m[(row0 + threadIdx.y) * dim + col0 + threadIdx.x] -= acc;
}

static void fill(float *m, int n)
{
    srand(7);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            m[i * n + j] = (float)rand() / RAND_MAX + (i == j ? n : 0);
}

int main(int argc, char **argv)
{
    int n = 1024, step = 16;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) step = atoi(argv[2]);
    if (n % BS) {
        printf("n must be a multiple of %d\n", BS);
        return 1;
    }

    float *h = (float *)malloc(sizeof(float) * n * n);
    float *back = (float *)malloc(sizeof(float) * n * n);
    fill(h, n);

    float *d_m;
    CHECK(cudaMalloc((void **)&d_m, sizeof(float) * n * n));
    CHECK(cudaMemcpy(d_m, h, sizeof(float) * n * n, cudaMemcpyHostToDevice));

    int left = n / BS - step - 1;
    dim3 block(BS, BS);
    dim3 grid(left, left);
    lu_trailing<<<grid, block>>>(d_m, n, step * BS);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(back, d_m, sizeof(float) * n * n, cudaMemcpyDeviceToHost));

    // one corner by hand
    int o = step * BS, i = n - 1, j = n - 2;
    double want = h[i * n + j];
    for (int k = 0; k < BS; k++) want -= (double)h[i * n + o + k] * h[(o + k) * n + j];
    printf("corner %g, expected %g: %s\n", back[i * n + j], want, fabs(back[i * n + j] - want) < 1e-2 ? "ok" : "WRONG");

    cudaFree(d_m);
    free(h);
    free(back);
    return 0;
}
