// First half of a floating-point codec: XOR with the previous value, significant bits of what is left, bytes of each page.
#include <hip/hip_runtime.h>
#include <cstdint>
#include <cstdio>

static const int PAGE = 1024;
static const int PAGES = 8192;

__global__ void xor_previous(const uint64_t* v, uint64_t* x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 || i >= n) return;
    x[i] = v[i] ^ v[i - 1];
}

__global__ void page_bytes(const uint64_t* x, uint32_t* bytes)
{
    __shared__ uint32_t part[PAGE / 4];
    const uint64_t* page = x + (size_t)blockIdx.x * PAGE;
    uint32_t need = 0;
    for (int k = threadIdx.x; k < PAGE; k += PAGE / 4)
        need += (64 - __clzll(page[k]) + 7) / 8;
    part[threadIdx.x] = need;
    __syncthreads();
#pragma unroll
    for (int s = PAGE / 8; s >= 1; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) bytes[blockIdx.x] = part[0];
}

int main()
{
    const size_t n = (size_t)PAGE * PAGES;
    uint64_t *v, *x; uint32_t* b;
    hipMallocManaged(&v, n * sizeof(uint64_t));
    hipMallocManaged(&x, n * sizeof(uint64_t));
    hipMallocManaged(&b, PAGES * sizeof(uint32_t));
    for (size_t i = 0; i < n; ++i) {
        union { double d; uint64_t u; } c;
        c.d = 20.0 + 0.25 * (i % 37);
        v[i] = c.u;
    }
    x[0] = v[0];
    xor_previous<<<n / 256, 256>>>(v, x, n);
    page_bytes<<<PAGES, PAGE / 4>>>(x, b);
    hipDeviceSynchronize();
    printf("%u\n", b[3]);
    return 0;
}
