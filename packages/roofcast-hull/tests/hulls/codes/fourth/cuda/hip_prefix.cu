#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(cmd)                                                        \
    {                                                                         \
        hipError_t error = cmd;                                               \
        if (error != hipSuccess) {                                            \
            fprintf(stderr, "error: %s\n", hipGetErrorString(error));         \
            exit(EXIT_FAILURE);                                               \
        }                                                                     \
    }

constexpr int kBlock = 512;

// inclusive sums within each block of 512
__global__ void block_prefix(const int* in, int* out)
{
    __shared__ int buf[2][kBlock];
    const int t = threadIdx.x;
    const int g = blockIdx.x * kBlock + t;
    int cur = 0;
    buf[0][t] = in[g];
    __syncthreads();
    for (int off = 1; off < kBlock; off <<= 1) {
        const int nxt = 1 - cur;
        if (t >= off)
            buf[nxt][t] = buf[cur][t] + buf[cur][t - off];
        else
            buf[nxt][t] = buf[cur][t];
        cur = nxt;
        __syncthreads();
    }
    out[g] = buf[cur][t];
}

int main()
{
    const int blocks = 700;
    const int n = blocks * kBlock;
    std::vector<int> h(n, 1);
    int *in, *out;
    HIP_CHECK(hipMalloc((void**)&in, n * sizeof(int)));
    HIP_CHECK(hipMalloc((void**)&out, n * sizeof(int)));
    HIP_CHECK(hipMemcpy(in, h.data(), n * sizeof(int), hipMemcpyHostToDevice));
    hipLaunchKernelGGL(block_prefix, dim3(blocks), dim3(kBlock), 0, 0, in, out);
    HIP_CHECK(hipMemcpy(h.data(), out, n * sizeof(int), hipMemcpyDeviceToHost));
    printf("%d\n", h[kBlock - 1]);
    HIP_CHECK(hipFree(in));
    HIP_CHECK(hipFree(out));
    return 0;
}
