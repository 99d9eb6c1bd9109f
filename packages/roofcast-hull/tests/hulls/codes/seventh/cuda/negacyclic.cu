// Schoolbook products in Z_q[x]/(x^256 + 1), q = 8380417 (Dilithium's ring): the reference that the NTT
// code is tested against. One block per pair of polynomials, one thread per coefficient.
// By hand: 2 a term, % < + at the end: 2*256 + 3 a coefficient.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int DEGREE = 256;
constexpr int32_t Q = 8380417;

__global__ __launch_bounds__(DEGREE)
void poly_mul_schoolbook(const int32_t *__restrict__ a, const int32_t *__restrict__ b, int32_t *__restrict__ c)
{
    __shared__ int32_t sa[DEGREE], sb[DEGREE];
    const int k = threadIdx.x;
    const int base = blockIdx.x * DEGREE;
    sa[k] = a[base + k];
    sb[k] = b[base + k];
    __syncthreads();

    int64_t acc = 0;
    for (int i = 0; i < DEGREE; ++i) {
        const int64_t prod = (int64_t)sa[i] * sb[(k - i) & (DEGREE - 1)];
        if (i <= k)
            acc += prod;
        else
            acc -= prod; // x^256 = -1
    }
    int32_t r = (int32_t)(acc % Q);
    if (r < 0) r += Q;
    c[base + k] = r;
}

int main(int argc, char *argv[])
{
    int batch = 1024;
    if (argc > 1) batch = atoi(argv[1]);
    const size_t n = (size_t)batch * DEGREE;
    std::vector<int32_t> ha(n), hb(n), hc(n);
    for (size_t i = 0; i < n; ++i) {
        ha[i] = rand() % Q;
        hb[i] = rand() % Q;
    }
    int32_t *a, *b, *c;
    cudaMalloc(&a, n * sizeof(int32_t));
    cudaMalloc(&b, n * sizeof(int32_t));
    cudaMalloc(&c, n * sizeof(int32_t));
    cudaMemcpy(a, ha.data(), n * sizeof(int32_t), cudaMemcpyHostToDevice);
    cudaMemcpy(b, hb.data(), n * sizeof(int32_t), cudaMemcpyHostToDevice);
    poly_mul_schoolbook<<<batch, DEGREE>>>(a, b, c);
    cudaMemcpy(hc.data(), c, n * sizeof(int32_t), cudaMemcpyDeviceToHost);
    printf("c[0] = %d\n", hc[0]);
    cudaFree(a); cudaFree(b); cudaFree(c);
}
