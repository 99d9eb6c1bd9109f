#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

static const std::size_t WINES = 4000;

// mid-ranks, ties shared; quadratic on purpose, small fields only
std::vector<double> mid_ranks(const std::vector<double>& score)
{
    std::vector<double> rank(WINES);
    for (std::size_t i = 0; i < WINES; ++i) {
        double below = 0, same = 0;
        for (std::size_t j = 0; j < WINES; ++j) {
            below += score[j] < score[i];
            same += score[j] == score[i];
        }
        rank[i] = below + 0.5 * (same + 1);
    }
    return rank;
}

double spearman_footrule(const std::vector<double>& a, const std::vector<double>& b)
{
    double f = 0;
    for (std::size_t i = 0; i < WINES; ++i)
        f += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    return f;
}

int main()
{
    std::mt19937 rng(3);
    std::vector<double> critic(WINES), public_(WINES);
    for (auto& s : critic) s = 80 + rng() % 21;
    for (auto& s : public_) s = 1 + 0.1 * (rng() % 41);
    auto ra = mid_ranks(critic), rb = mid_ranks(public_);
    std::printf("%g\n", spearman_footrule(ra, rb));
}
