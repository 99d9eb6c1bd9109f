// Portability-layer style: forall and reducers taking lambdas.
// Operations by a self-counting number, full size.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace port {

struct range { long begin, end; };

template <typename Body>
inline void forall(range r, Body&& body)
{
#pragma omp parallel for simd
    for (long i = r.begin; i < r.end; ++i) body(i);
}

template <typename T, typename Body>
inline T reduce_max(range r, T init, Body&& body)
{
    T best = init;
    for (long i = r.begin; i < r.end; ++i) best = std::max(best, body(i));
    return best;
}

}  // namespace port

constexpr long N = 750000;

// c = a^alpha-like relaxation: x <- x + w * (b - d * x)
void damped_jacobi(double* x, const double* b, const double* diag, double w)
{
    port::forall({0, N}, [=](long i) { x[i] = x[i] + w * (b[i] - diag[i] * x[i]) / diag[i]; });
}

double max_residual(const double* x, const double* b, const double* diag)
{
    return port::reduce_max<double>({0, N}, 0.0, [=](long i) { return std::fabs(b[i] - diag[i] * x[i]); });
}

// if-quadratic: two roots for each triple of coefficients, zero where there is none
void if_quad(const double* a, const double* b, const double* c, double* x1, double* x2)
{
    port::forall({0, N}, [=](long i) {
        double s = b[i] * b[i] - 4.0 * a[i] * c[i];
        if (s >= 0) {
            s = std::sqrt(s);
            x2[i] = (b[i] * -1.0 + s) / (2.0 * a[i]);
            x1[i] = (b[i] * -1.0 - s) / (2.0 * a[i]);
        } else {
            x2[i] = 0.0;
            x1[i] = 0.0;
        }
    });
}

int main()
{
    std::vector<double> x(N, 0.5), b(N), d(N), c(N, 0.01), r1(N), r2(N);
    for (long i = 0; i < N; ++i) {
        b[i] = 2.0 + 0.001 * double(i % 100);
        d[i] = 1.0 + 0.01 * double(i % 10);
    }
    auto start = std::chrono::high_resolution_clock::now();
    for (int sweep = 0; sweep < 5; ++sweep) damped_jacobi(x.data(), b.data(), d.data(), 0.8);
    const double res = max_residual(x.data(), b.data(), d.data());
    if_quad(d.data(), b.data(), c.data(), r1.data(), r2.data());
    auto stop = std::chrono::high_resolution_clock::now();
    std::printf("residual %.3e root %.6f (%.2f ms)\n", res, r1[5],
                std::chrono::duration<double, std::milli>(stop - start).count());
    return 0;
}
