// The largest eigenvalue by powers.
#include <cmath>
#include <cstddef>
#include <vector>

void multiply(const std::vector<double> &a, const std::vector<double> &x, std::vector<double> &y, std::size_t n)
{
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}

double normalise(std::vector<double> &y, std::size_t n)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += y[i] * y[i];
    const double norm = std::sqrt(sum);
    for (std::size_t i = 0; i < n; ++i) y[i] /= norm;
    return norm;
}

int main()
{
    const std::size_t n = 2000;
    std::vector<double> a(n * n, 1.0), x(n, 1.0), y(n);
    double lambda = 0;
    for (int k = 0; k < 50; ++k) {
        multiply(a, x, y, n);
        lambda = normalise(y, n);
        x.swap(y);
    }
    return lambda > 0 ? 0 : 1;
}
