// Yield of each bond from its price: Newton until it no longer moves.
#include <cmath>
#include <cstdio>
#include <vector>

struct Bond { double price, coupon; int years; };

static double price_at(const Bond& b, double y, double& slope)
{
    double v = 0, d = 0, disc = 1;
    for (int t = 1; t <= b.years; ++t) {
        disc /= 1 + y;
        double cf = b.coupon + (t == b.years ? 100.0 : 0.0);
        v += cf * disc;
        d -= t * cf * disc / (1 + y);
    }
    slope = d;
    return v;
}

void solve_yields(const std::vector<Bond>& bonds, std::vector<double>& yields)
{
    for (std::size_t i = 0; i < bonds.size(); ++i) {
        double y = 0.03, step = 1;
        while (std::fabs(step) > 1e-12) {
            double slope, v = price_at(bonds[i], y, slope);
            step = (v - bonds[i].price) / slope;
            y -= step;
        }
        yields[i] = y;
    }
}

int main()
{
    std::vector<Bond> bonds;
    for (int i = 0; i < 3000; ++i) bonds.push_back({95.0 + i % 10, 2.0 + 0.01 * (i % 300), 2 + i % 28});
    std::vector<double> yields(bonds.size());
    solve_yields(bonds, yields);
    std::printf("%f\n", yields[77]);
}
