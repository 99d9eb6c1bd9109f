// Internal rate of return of each project of a list, by Newton's method.
#include <cmath>
#include <cstdio>
#include <vector>

const int PROJECTS = 2000;
const int YEARS = 20;

void irr(const std::vector<std::vector<double>>& flows, std::vector<double>& rate)
{
    for (int p = 0; p < PROJECTS; p++) {
        double r = 0.1, step = 1.0;
        while (std::fabs(step) > 1e-10) {
            double v = 0, dv = 0, df = 1.0;
            for (int y = 0; y < YEARS; y++) {
                v += flows[p][y] * df;
                dv -= y * flows[p][y] * df / (1 + r);
                df /= 1 + r;
            }
            step = v / dv;
            r -= step;
        }
        rate[p] = r;
    }
}

void npv(const std::vector<std::vector<double>>& flows, const double (&discount)[YEARS], std::vector<double>& value)
{
    for (int p = 0; p < PROJECTS; p++) {
        double v = 0;
        for (int y = 0; y < YEARS; y++) v += flows[p][y] * discount[y];
        value[p] = v;
    }
}

int main()
{
    std::vector<std::vector<double>> flows(PROJECTS, std::vector<double>(YEARS));
    std::vector<double> rate(PROJECTS), value(PROJECTS);
    double discount[YEARS];
    for (int y = 0; y < YEARS; y++) discount[y] = std::pow(1.04, -y);
    for (int p = 0; p < PROJECTS; p++) {
        flows[p][0] = -1000 - p;
        for (int y = 1; y < YEARS; y++) flows[p][y] = 110 + 0.1 * p;
    }
    irr(flows, rate);
    npv(flows, discount, value);
    printf("%f %f\n", rate[0], value[0]);
}
