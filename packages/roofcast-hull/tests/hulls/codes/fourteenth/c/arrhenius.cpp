// Forward rate constants of a mechanism over all cells of a reactor, and the heat that they release.
#include <cmath>
#include <cstdio>
#include <vector>

struct Reaction {
    double A;    // pre-exponential
    double n;    // exponent of temperature
    double Ta;   // -Ea / R, kelvin
};

constexpr int kReactions = 32;
constexpr int kCells = 20000;

void rate_constants(const std::vector<Reaction>& mech, const std::vector<double>& T, std::vector<double>& k)
{
    for (int r = 0; r < kReactions; ++r) {
        const Reaction& rx = mech[r];
        double* row = k.data() + static_cast<size_t>(r) * kCells;
        for (int c = 0; c < kCells; ++c)
            row[c] = rx.A * std::pow(T[c], rx.n) * std::exp(rx.Ta / T[c]);
    }
}

void heat_release(const std::vector<double>& k, const double (&dH)[kReactions], std::vector<double>& q)
{
    for (int c = 0; c < kCells; ++c) q[c] = 0.0;
    for (int r = 0; r < kReactions; ++r)
        for (int c = 0; c < kCells; ++c)
            q[c] += dH[r] * k[static_cast<size_t>(r) * kCells + c];
}

int main()
{
    std::vector<Reaction> mech(kReactions);
    std::vector<double> T(kCells), k(static_cast<size_t>(kReactions) * kCells), q(kCells);
    double dH[kReactions];
    for (int r = 0; r < kReactions; ++r) {
        mech[r] = {1e3 * (r + 1), 0.1 * (r % 5), -800.0 - 40.0 * r};
        dH[r] = -1.0e2 + 7.0 * r;
    }
    for (int c = 0; c < kCells; ++c) T[c] = 900.0 + 0.05 * c;
    rate_constants(mech, T, k);
    heat_release(k, dH, q);
    std::printf("q[0] = %g, q[last] = %g\n", q[0], q[kCells - 1]);
}
