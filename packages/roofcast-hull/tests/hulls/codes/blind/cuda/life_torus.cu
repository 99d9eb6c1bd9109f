#include <cuda_runtime.h>
#include <utility>

__global__ void life(const unsigned char *now, unsigned char *next, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int l = (x + n - 1) % n, r = (x + 1) % n;
    int u = ((y + n - 1) % n) * n, d = ((y + 1) % n) * n, c = y * n;
    int alive = now[u + l] + now[u + x] + now[u + r] + now[c + l] + now[c + r] + now[d + l] + now[d + x] + now[d + r];
    next[c + x] = (alive == 3 || (alive == 2 && now[c + x])) ? 1 : 0;
}

int main(int argc, char **argv)
{
    int n = 1024, generations = 64;
    unsigned char *a, *b;
    cudaMalloc(&a, n * n);
    cudaMalloc(&b, n * n);
    while (generations--) {
        life<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n);
        std::swap(a, b);
    }
    cudaDeviceSynchronize();
}
