// Symmetric rank-2k update, blocked for the cache: C = beta C + alpha (A B^T + B A^T).
// Self-counted at full size.
#include <algorithm>
#include <cstdio>
#include <vector>

template <int N, int K, int TILE>
void syr2k_blocked(const double* __restrict A, const double* __restrict B, double* __restrict C, double alpha, double beta)
{
#pragma omp parallel for
    for (int i = 0; i < N * N; ++i) C[i] *= beta;

#pragma omp parallel for collapse(2)
    for (int ii = 0; ii < N; ii += TILE)
        for (int jj = 0; jj < N; jj += TILE)
            for (int kk = 0; kk < K; kk += TILE) {
                const int iend = std::min(ii + TILE, N);
                const int jend = std::min(jj + TILE, N);
                const int kend = std::min(kk + TILE, K);
                for (int i = ii; i < iend; ++i)
                    for (int j = jj; j < jend; ++j) {
                        double acc = 0.0;
                        for (int k = kk; k < kend; ++k) acc += A[i * K + k] * B[j * K + k] + B[i * K + k] * A[j * K + k];
                        C[i * N + j] += alpha * acc;
                    }
            }
}

int main()
{
    constexpr int n = 256, k = 192;
    std::vector<double> a(n * k), b(n * k), c(n * n, 1.0);
    for (int i = 0; i < n * k; ++i) {
        a[i] = 0.001 * (i % 211);
        b[i] = 0.002 * (i % 173);
    }
    syr2k_blocked<n, k, 32>(a.data(), b.data(), c.data(), 1.5, 1.2);
    std::printf("C(1,2) = %.6f  C(2,1) = %.6f\n", c[1 * n + 2], c[2 * n + 1]);
    return 0;
}
