// Price and Macaulay duration of semi-annual bonds from their cash flows.
// By hand: 3 before, 5 a cash flow, 1 after = 304 a bond.
#include <cstdio>
#include <vector>

static const int BONDS = 5000;
static const int FLOWS = 60;

void price_and_duration(const double* flows, const double* yield, const double* times,
                        double* price, double* duration)
{
    for (int b = 0; b < BONDS; ++b) {
        const double* cf = flows + b * FLOWS;
        const double v = 1.0 / (1.0 + 0.5 * yield[b]);
        double df = 1.0, sum = 0.0, weighted = 0.0;
        for (int k = 0; k < FLOWS; ++k) {
            df *= v;
            const double pv = cf[k] * df;
            sum += pv;
            weighted += times[k] * pv;
        }
        price[b] = sum;
        duration[b] = weighted / sum;
    }
}

int main()
{
    std::vector<double> flows(BONDS * FLOWS), y(BONDS), t(FLOWS), p(BONDS), d(BONDS);
    for (int k = 0; k < FLOWS; ++k) t[k] = 0.5 * (k + 1);
    for (int b = 0; b < BONDS; ++b) {
        y[b] = 0.02 + 1e-5 * (b % 1000);
        const int last = 1 + b % FLOWS;
        for (int k = 0; k < last; ++k) flows[b * FLOWS + k] = 2.0 + (k == last - 1 ? 100.0 : 0.0);
    }
    price_and_duration(flows.data(), y.data(), t.data(), p.data(), d.data());
    std::printf("%.4f %.4f\n", p[59], d[59]);
    return 0;
}
