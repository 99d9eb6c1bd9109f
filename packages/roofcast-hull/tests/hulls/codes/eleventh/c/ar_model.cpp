// Yule-Walker: autocovariances of a series, Levinson's recursion for the coefficients, residuals.
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

using Series = std::vector<double>;

constexpr int T = 100000;
constexpr int P = 24;

void autocov(const Series &y, double mean, Series &g)
{
    for (int h = 0; h <= P; ++h) {
        double s = 0.0;
        for (int t = 0; t < T - P; ++t)
            s += (y[t] - mean) * (y[t + h] - mean);
        g[h] = s / T;
    }
}

void levinson(const Series &g, Series &phi)
{
    Series old(P);
    double v = g[0];
    for (int m = 0; m < P; ++m) {
        double acc = g[m + 1];
        for (int j = 0; j < m; ++j)
            acc -= phi[j] * g[m - j];
        const double k = acc / v;
        old = phi;
        for (int j = 0; j < m; ++j)
            phi[j] = old[j] - k * old[m - 1 - j];
        phi[m] = k;
        v *= 1.0 - k * k;
    }
}

void residuals(const Series &y, const Series &phi, double mean, Series &e)
{
    for (int t = P; t < T; ++t) {
        double fit = 0.0;
        for (int p = 0; p < P; ++p)
            fit += phi[p] * (y[t - 1 - p] - mean);
        e[t] = (y[t] - mean) - fit;
    }
}

double portmanteau(const Series &e)
{
    double num = 0.0, den = 0.0;
    for (int t = P; t < T - 1; ++t) {
        num += e[t] * e[t + 1];
        den += e[t] * e[t];
    }
    return num / den;
}

int main()
{
    Series y(T), g(P + 1), phi(P), e(T);
    double x = 0.0;
    unsigned s = 1;
    for (auto &v : y) {
        s = s * 1664525u + 1013904223u;
        x = 0.7 * x + (s >> 8) * 6e-8 - 0.5;
        v = x;
    }
    const double mean = std::accumulate(y.begin(), y.end(), 0.0) / T;
    autocov(y, mean, g);
    levinson(g, phi);
    residuals(y, phi, mean, e);
    std::printf("%g %g\n", phi[0], portmanteau(e));
}
