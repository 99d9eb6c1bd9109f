// Ensemble of van der Pol oscillators, RK4 with a small fixed-size state; std::transform with a functor.
// Self-counted at full size.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

using State = std::array<double, 2>;

inline State rhs(const State& s, double mu)
{
    return {s[1], mu * (1.0 - s[0] * s[0]) * s[1] - s[0]};
}

inline State axpy(const State& a, double h, const State& k)
{
    return {a[0] + h * k[0], a[1] + h * k[1]};
}

constexpr int members = 20000;
constexpr int substeps = 50;

// every member has its own mu; 50 steps of RK4
void advance(std::vector<State>& ens, const std::vector<double>& mu, double h)
{
#pragma omp parallel for
    for (int m = 0; m < members; ++m) {
        State s = ens[m];
        for (int n = 0; n < substeps; ++n) {
            const State k1 = rhs(s, mu[m]);
            const State k2 = rhs(axpy(s, 0.5 * h, k1), mu[m]);
            const State k3 = rhs(axpy(s, 0.5 * h, k2), mu[m]);
            const State k4 = rhs(axpy(s, h, k3), mu[m]);
            for (int c = 0; c < 2; ++c) s[c] += h / 6.0 * (k1[c] + 2.0 * k2[c] + 2.0 * k3[c] + k4[c]);
        }
        ens[m] = s;
    }
}

void radii(const std::vector<State>& ens, std::vector<double>& r)
{
    std::transform(ens.begin(), ens.begin() + members, r.begin(),
                   [](const State& s) { return std::sqrt(s[0] * s[0] + s[1] * s[1]); });
}

int main()
{
    std::vector<State> ens(members);
    std::vector<double> mu(members), r(members);
    for (int m = 0; m < members; ++m) {
        ens[m] = {0.5 + 0.0001 * m, 0.0};
        mu[m] = 0.1 + 0.0002 * m;
    }
    advance(ens, mu, 0.01);
    radii(ens, r);
    std::printf("r0 %.9f rN %.9f\n", r.front(), r.back());
    return 0;
}
