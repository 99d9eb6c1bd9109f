// Currency crosses: direct quotes, the best two-leg route for each pair, the largest gain over direct.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int NCCY = 192;
constexpr int BLK = 32;

void quote_crosses(const std::vector<double> &bid, const std::vector<double> &ask, std::vector<double> &rate)
{
    for (int i = 0; i < NCCY; ++i)
        for (int j = 0; j < NCCY; ++j)
            rate[i * NCCY + j] = bid[i] / ask[j];
}

void best_route(const double *rate, double *best)
{
    std::fill(best, best + NCCY * NCCY, 0.0);
    for (int ib = 0; ib < NCCY; ib += BLK)
        for (int kb = 0; kb < NCCY; kb += BLK)
            for (int jb = 0; jb < NCCY; jb += BLK)
                for (int i = ib; i < ib + BLK; ++i)
                    for (int k = kb; k < kb + BLK; ++k) {
                        const double leg = rate[i * NCCY + k];
                        for (int j = jb; j < jb + BLK; ++j)
                            best[i * NCCY + j] = std::max(best[i * NCCY + j], leg * rate[k * NCCY + j]);
                    }
}

double largest_edge(const std::vector<double> &rate, const std::vector<double> &best)
{
    double edge = 0.0;
    for (std::size_t n = 0; n < NCCY * NCCY; ++n) {
        const double gain = best[n] / rate[n] - 1.0;
        if (gain > edge)
            edge = gain;
    }
    return edge;
}

}  // namespace

int main()
{
    std::vector<double> bid(NCCY), ask(NCCY), rate(NCCY * NCCY), best(NCCY * NCCY);
    for (int i = 0; i < NCCY; ++i) {
        bid[i] = 0.5 + 0.01 * i;
        ask[i] = bid[i] * (1.0002 + 1e-5 * (i % 7));
    }
    quote_crosses(bid, ask, rate);
    best_route(rate.data(), best.data());
    std::printf("%.8f\n", largest_edge(rate, best));
}
