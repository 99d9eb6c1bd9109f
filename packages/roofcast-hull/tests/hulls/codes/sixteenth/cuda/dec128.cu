// Decimals of 128 bits in two words: sum of two columns, and more digits behind the point
#include <cstdio>

typedef unsigned long long u64;
const size_t ROWS = 3000000;

__global__ void add_dec(const ulonglong2 *a, const ulonglong2 *b, ulonglong2 *sum, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ulonglong2 p = a[i], q = b[i], r;
    r.x = p.x + q.x;
    u64 carry = r.x < p.x;
    r.y = p.y + q.y + carry;
    sum[i] = r;
}

__global__ void rescale_dec(ulonglong2 *v, u64 power, size_t n)
{
    const size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        ulonglong2 p = v[i];
        v[i] = make_ulonglong2(p.x * power, __umul64hi(p.x, power) + p.y * power);
    }
}

int main()
{
    ulonglong2 *a, *b, *c;
    cudaMallocManaged(&a, ROWS * sizeof(*a));
    cudaMallocManaged(&b, ROWS * sizeof(*b));
    cudaMallocManaged(&c, ROWS * sizeof(*c));
    for (size_t i = 0; i < ROWS; i++) {
        a[i] = make_ulonglong2(~0ull - i, i);
        b[i] = make_ulonglong2(i * i, 2);
    }
    add_dec<<<(unsigned)((ROWS + 255) / 256), 256>>>(a, b, c, ROWS);
    rescale_dec<<<1056, 128>>>(c, 1000ull, ROWS);
    cudaDeviceSynchronize();
    printf("%llu %llu\n", c[77].x, c[77].y);
    return 0;
}
