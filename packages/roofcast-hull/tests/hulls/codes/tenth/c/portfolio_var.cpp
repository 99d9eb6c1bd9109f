// Historical scenario P&L of portfolios, parametric variance w' S w, and marginal contributions.
// Operations by hand (2 for each element of a row or matrix, 3 with two factors).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

struct Market {
    static constexpr int assets = 300;
    static constexpr int scenarios = 2000;
};

class CovMatrix {
public:
    explicit CovMatrix(int n) : n_(n), v_(static_cast<size_t>(n) * n) {}
    double& operator()(int i, int j) { return v_[static_cast<size_t>(i) * n_ + j]; }
    double operator()(int i, int j) const { return v_[static_cast<size_t>(i) * n_ + j]; }
    int size() const { return n_; }

private:
    int n_;
    std::vector<double> v_;
};

// S w, then each weight's share
void marginal_risk(const CovMatrix& cov, const std::vector<double>& w, std::vector<double>& out)
{
    const int n = Market::assets;
    for (int i = 0; i < n; ++i) {
        double s = 0.0;
        for (int j = 0; j < n; ++j) s += cov(i, j) * w[j];
        out[i] = w[i] * s;
    }
}

double variance(const CovMatrix& cov, const std::vector<double>& w)
{
    double total = 0.0;
    for (int i = 0; i < Market::assets; ++i)
        for (int j = 0; j < Market::assets; ++j) total += w[i] * cov(i, j) * w[j];
    return total;
}

// profit of every scenario: returns (scenarios x assets) times positions
void scenario_pnl(const std::vector<double>& ret, const std::vector<double>& pos, std::vector<double>& pnl)
{
    for (int s = 0; s < Market::scenarios; ++s) {
        auto row = ret.begin() + static_cast<long>(s) * Market::assets;
        pnl[s] = std::inner_product(row, row + Market::assets, pos.begin(), 0.0);
    }
}

int main()
{
    CovMatrix cov(Market::assets);
    std::vector<double> w(Market::assets, 1.0 / Market::assets), contrib(Market::assets);
    std::vector<double> ret(static_cast<size_t>(Market::assets) * Market::scenarios), pnl(Market::scenarios);
    for (int i = 0; i < Market::assets; ++i)
        for (int j = 0; j < Market::assets; ++j) cov(i, j) = (i == j ? 0.04 : 0.01);
    for (size_t k = 0; k < ret.size(); ++k) ret[k] = 0.001 * (static_cast<double>(k % 41) - 20.0);
    marginal_risk(cov, w, contrib);
    scenario_pnl(ret, w, pnl);
    std::sort(pnl.begin(), pnl.end());
    std::printf("vol %.6f first %.8f VaR99 %.6f\n", std::sqrt(variance(cov, w)), contrib[0],
                -pnl[static_cast<size_t>(0.01 * Market::scenarios)]);
    return 0;
}
