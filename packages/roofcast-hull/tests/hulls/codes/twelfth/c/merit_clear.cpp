#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

namespace market {
constexpr int HOURS = 8760;
constexpr int UNITS = 120;
constexpr int WEEK_HOURS = 744;
constexpr int NODES = 64;
constexpr int LINES = 80;

struct Unit { double heat_rate, emission, variable_om; };

void bid_costs(const Unit* units, const double* fuel, const double* carbon, double* cost) {
    for (int h = 0; h < HOURS; ++h)
        for (int u = 0; u < UNITS; ++u)
            cost[h * UNITS + u] = units[u].heat_rate * fuel[h] + units[u].emission * carbon[h] + units[u].variable_om;
}

// power transfer distribution factors times injections
void line_flows(const double* ptdf, const double* injection, double* flow) {
    for (int h = 0; h < WEEK_HOURS; ++h) {
        const double* inj = injection + h * NODES;
        for (int l = 0; l < LINES; ++l) {
            double f = 0.0;
            for (int n = 0; n < NODES; ++n) f += ptdf[l * NODES + n] * inj[n];
            flow[h * LINES + l] = f;
        }
    }
}

void duration_curve(const std::vector<double>& load, const std::vector<double>& wind,
                    const std::vector<double>& sun, std::vector<double>& residual) {
    for (int h = 0; h < HOURS; ++h) residual[h] = load[h] - wind[h] - sun[h];
    std::sort(residual.begin(), residual.end(), std::greater<double>());
}
}  // namespace market

int main() {
    using namespace market;
    std::vector<Unit> units(UNITS);
    std::vector<double> fuel(HOURS), carbon(HOURS), cost(HOURS * UNITS);
    std::vector<double> ptdf(LINES * NODES), inj(WEEK_HOURS * NODES), flow(WEEK_HOURS * LINES);
    std::vector<double> load(HOURS), wind(HOURS), sun(HOURS), residual(HOURS);
    for (int u = 0; u < UNITS; ++u) units[u] = {7.0 + 0.02 * u, 0.3 + 0.004 * u, 1.5 + u % 4};
    for (int h = 0; h < HOURS; ++h) {
        fuel[h] = 20 + h % 24;
        carbon[h] = 60 + 0.001 * h;
        load[h] = 50 + (h * 7) % 24;
        wind[h] = (h * 13) % 31;
        sun[h] = h % 24 > 7 && h % 24 < 19 ? 12 : 0;
    }
    for (int i = 0; i < LINES * NODES; ++i) ptdf[i] = ((i * 31) % 200 - 100) / 100.0;
    for (int i = 0; i < WEEK_HOURS * NODES; ++i) inj[i] = ((i * 17) % 90 - 45) * 1.0;
    bid_costs(units.data(), fuel.data(), carbon.data(), cost.data());
    line_flows(ptdf.data(), inj.data(), flow.data());
    duration_curve(load, wind, sun, residual);
    std::printf("%.2f %.2f %.2f %.2f\n", cost[500], flow[77], residual[0], residual[8759]);
}
