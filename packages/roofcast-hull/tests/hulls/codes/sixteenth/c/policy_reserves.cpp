// Whole-life policies: survival by a law of mortality, reserves backwards through the years.
#include <cmath>
#include <cstdio>
#include <vector>

class Makeham {
    double minusA_, B_, c_;
public:
    constexpr Makeham(double a, double b, double c) : minusA_(-a), B_(b), c_(c) {}
    double operator()(double age) const { return minusA_ - B_ * std::pow(c_, age); }   // log of the yearly survival
};

struct Policy { double sum, premium; };

constexpr int kAges = 120000, kYears = 60, kPolicies = 5000;

void death_rates(const Makeham& law, const std::vector<double>& age, std::vector<double>& q)
{
    for (std::size_t i = 0; i < age.size(); ++i) {
        const double middle = age[i] + 0.5;
        q[i] = 1.0 - std::exp(law(middle));
    }
}

void reserves(const std::vector<Policy>& book, const std::vector<double>& q, double v, std::vector<double>& V)
{
    for (int p = 0; p < kPolicies; ++p) {
        const auto [sum, premium] = book[p];
        double* row = V.data() + static_cast<std::size_t>(p) * (kYears + 1);
        double next = 0.0;
        row[kYears] = 0.0;
        for (int t = kYears - 1; t >= 0; --t) {
            next = v * (q[t] * sum + (1.0 - q[t]) * next) - premium;
            row[t] = next;
        }
    }
}

int main()
{
    std::vector<double> age(kAges), q(kAges);
    for (int i = 0; i < kAges; ++i)
        age[i] = 20.0 + 0.0007 * i;
    death_rates(Makeham(5e-4, 3e-5, 1.1), age, q);
    std::vector<double> yearly(kYears);
    for (int t = 0; t < kYears; ++t)
        yearly[t] = q[t * 1400];
    std::vector<Policy> book(kPolicies);
    for (int p = 0; p < kPolicies; ++p)
        book[p] = {1000.0 + p, 9.0 + 0.001 * p};
    std::vector<double> V(static_cast<std::size_t>(kPolicies) * (kYears + 1));
    reserves(book, yearly, 1.0 / 1.02, V);
    std::printf("%g %g\n", q[1000], V[61 * 7 + 3]);
}
