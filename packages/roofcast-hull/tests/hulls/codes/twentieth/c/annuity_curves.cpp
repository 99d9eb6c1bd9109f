#include <cmath>
#include <iostream>
#include <numeric>
#include <vector>

namespace rates {

constexpr int kCurves  = 3000;
constexpr int kTenors  = 40;
constexpr double kStep = 0.5;

using Grid = std::vector<std::vector<double>>;

// discount factors out of zero rates
void discount(const Grid& zero, Grid& df)
{
#pragma omp parallel for
    for (int c = 0; c < kCurves; ++c)
        for (int k = 0; k < kTenors; ++k)
            df[c][k] = std::exp(-zero[c][k] * (kStep * (k + 1)));
}

std::vector<double> par_rates(const Grid& df)
{
    std::vector<double> par(kCurves);
    for (int c = 0; c < kCurves; ++c) {
        double annuity = 0;
        for (int k = 0; k < kTenors; ++k)
            annuity += kStep * df[c][k];
        par[c] = (1.0 - df[c][kTenors - 1]) / annuity;
    }
    return par;
}

void forwards(const Grid& df, Grid& fwd)
{
    for (int c = 0; c < kCurves; ++c)
        for (int k = 0; k + 1 < kTenors; ++k)
            fwd[c][k] = (df[c][k] / df[c][k + 1] - 1.0) / kStep;
}

}  // namespace rates

int main()
{
    using namespace rates;
    Grid zero(kCurves, std::vector<double>(kTenors)), df = zero, fwd(kCurves, std::vector<double>(kTenors - 1));
    for (int c = 0; c < kCurves; ++c)
        for (int k = 0; k < kTenors; ++k)
            zero[c][k] = 0.01 + 1e-6 * c + 2e-4 * k;
    discount(zero, df);
    auto p = par_rates(df);
    forwards(df, fwd);
    std::cout << std::accumulate(p.begin(), p.end(), 0.0) / kCurves << ' ' << fwd[9][9] << '\n';
}
