// Fermi-Pasta-Ulam-Tsingou chain (alpha model), fixed ends, symplectic Euler.
// g++ -O3 -std=c++17 spring_chain.cpp
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

constexpr std::size_t kMasses = std::size_t{1} << 20;
constexpr double kAlpha = 0.25;

// q and v hold the two walls as first and last entries; these never move.
void leapfrog(std::vector<double>& q, std::vector<double>& v, double dt)
{
    const std::size_t last = q.size() - 1;

    // kick
    for (std::size_t i = 1; i < last; ++i) {
        const double left = q[i] - q[i - 1];
        const double right = q[i + 1] - q[i];
        v[i] += dt * (right - left + kAlpha * (right * right - left * left));
    }
    // drift
    for (std::size_t i = 1; i < last; ++i)
        q[i] += dt * v[i];
}

double energy(const std::vector<double>& q, const std::vector<double>& v)
{
    double e = 0.0;
    for (std::size_t i = 1; i < q.size(); ++i) {
        const double d = q[i] - q[i - 1];
        e += 0.5 * v[i] * v[i] + 0.5 * d * d + kAlpha / 3.0 * d * d * d;
    }
    return e;
}

int main()
{
    std::vector<double> q(kMasses + 2, 0.0), v(kMasses + 2, 0.0);
    const double pi = std::acos(-1.0);
    for (std::size_t i = 0; i < q.size(); ++i)
        q[i] = std::sin(pi * 4096.0 * double(i) / double(kMasses + 1));
    q.front() = q.back() = 0.0;

    const double e0 = energy(q, v);
    for (int step = 0; step < 20; ++step)
        leapfrog(q, v, 0.05);
    std::printf("energy drift %.3e\n", energy(q, v) / e0 - 1.0);
    return 0;
}
