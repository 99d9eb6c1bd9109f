#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define N (1 << 22)
__global__ void jacobi(float *a, float *b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    for (int s = 0; s < steps; s++) {
        for (int i = grid.thread_rank() + 1; i < n - 1; i += grid.size()) b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        grid.sync();
        float *t = a; a = b; b = t;
    }
}
__global__ void scale(float *x, float f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= f; }
__global__ void child(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1.0f; }
__global__ void parent(float *x, int n) { if (threadIdx.x == 0) child<<<n / 256, 256>>>(x, n); }
int main()
{
    float *a, *b; int n = N, steps = 10;
    cudaMalloc(&a, N * sizeof(float)); cudaMalloc(&b, N * sizeof(float));
    void *args[] = {&a, &b, &n, &steps};
    cudaLaunchCooperativeKernel((void *)jacobi, dim3(264), dim3(256), args, 0, 0);
    cudaStream_t st; cudaStreamCreate(&st);
    cudaGraph_t g; cudaGraphExec_t e;
    cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal);
    for (int k = 0; k < 20; k++) scale<<<N / 256, 256, 0, st>>>(a, 0.5f, N);
    cudaStreamEndCapture(st, &g);
    cudaGraphInstantiate(&e, g, NULL, NULL, 0);
    for (int k = 0; k < 100; k++) cudaGraphLaunch(e, st);
    parent<<<1, 32>>>(a, N);
    return 0;
}
