// reduce fractions
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>
struct Fraction { unsigned num, den; };
static const int COUNT = 500000;

__device__ unsigned gcd(unsigned a, unsigned b)
{
    while (b != 0) {
        unsigned r = a % b;
        a = b;
        b = r;
    }
    return a;
}

__global__ void reduce_all(Fraction *f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= COUNT) return;
    unsigned g = gcd(f[i].num, f[i].den);
    f[i].num /= g;
    f[i].den /= g;
}

int main()
{
    std::vector<Fraction> h(COUNT);
    for (int i = 0; i < COUNT; i++) h[i] = {(unsigned)i * 12u + 6u, (unsigned)(i % 1000) * 30u + 18u};
    Fraction *d;
    hipMalloc(&d, COUNT * sizeof(Fraction));
    hipMemcpy(d, h.data(), COUNT * sizeof(Fraction), hipMemcpyHostToDevice);
    reduce_all<<<(COUNT + 255) / 256, 256>>>(d);
    hipMemcpy(h.data(), d, COUNT * sizeof(Fraction), hipMemcpyDeviceToHost);
    printf("%u/%u\n", h[77].num, h[77].den);
}
