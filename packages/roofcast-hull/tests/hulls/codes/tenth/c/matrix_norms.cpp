// Norms of a dense matrix kept in one std::vector, by the algorithms of the standard library.
// Operations by hand; checked against plain loops in main.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

namespace {
constexpr std::size_t R = 700;
constexpr std::size_t C = 900;
}

double frobenius(const std::vector<double>& m)
{
    return std::sqrt(std::transform_reduce(m.begin(), m.end(), 0.0, std::plus<>(), [](double v) { return v * v; }));
}

double max_abs(const std::vector<double>& m)
{
    double best = 0.0;
    for (const auto& v : m) best = std::max(best, std::abs(v));
    return best;
}

// sum of |a_ij| of every row
void row_one_norms(const std::vector<double>& m, std::vector<double>& out)
{
    for (std::size_t r = 0; r < R; ++r) {
        const double* row = m.data() + r * C;
        out[r] = std::accumulate(row, row + C, 0.0, [](double acc, double v) { return acc + std::fabs(v); });
    }
}

// divide every row by its norm
void equilibrate(std::vector<double>& m, const std::vector<double>& norm)
{
    for (std::size_t r = 0; r < R; ++r)
        for (std::size_t c = 0; c < C; ++c) m[r * C + c] /= norm[r];
}

int main()
{
    std::vector<double> m(R * C), rows(R);
    for (std::size_t k = 0; k < m.size(); ++k) m[k] = std::sin(0.01 * static_cast<double>(k));
    const double f = frobenius(m);
    const double a = max_abs(m);
    row_one_norms(m, rows);
    equilibrate(m, rows);
    double plain = 0.0;
    for (std::size_t c = 0; c < C; ++c) plain += std::fabs(m[3 * C + c]);
    std::printf("F %.6f max %.6f row3 after scaling %.12f\n", f, a, plain);
    return std::fabs(plain - 1.0) < 1e-9 ? 0 : 1;
}
