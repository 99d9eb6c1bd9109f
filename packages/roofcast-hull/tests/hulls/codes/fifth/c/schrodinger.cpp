// A wave packet that meets a step: leapfrog in time, second differences in space, hbar = m = 1
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using cd = std::complex<double>;

void leapfrog(const std::vector<cd>& before, const std::vector<cd>& psi, const std::vector<double>& V, std::vector<cd>& after,
              double dx, double dt)
{
    const int n = (int)psi.size();
    const double kinetic = -0.5 / (dx * dx);
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) {
        const cd lap = psi[i + 1] - 2.0 * psi[i] + psi[i - 1];
        const cd h = kinetic * lap + V[i] * psi[i];
        // -i h
        after[i] = before[i] + 2.0 * dt * cd(h.imag(), -h.real());
    }
}

int main()
{
    const int n = 400000;
    const double dx = 0.01, dt = 1e-5;
    std::vector<cd> a(n), b(n), c(n);
    std::vector<double> V(n, 0.0);
    for (int i = 0; i < n; ++i) {
        const double x = (i - n / 4) * dx;
        a[i] = std::exp(-x * x / 400.0) * cd(std::cos(2.0 * x), std::sin(2.0 * x));
        b[i] = a[i];
        if (i > n / 2) V[i] = 1.5;
    }
    for (int step = 0; step < 10; ++step) {
        leapfrog(a, b, V, c, dx, dt);
        a.swap(b);
        b.swap(c);
    }
    double norm = 0;
    for (int i = 0; i < n; ++i) norm += std::norm(b[i]) * dx;
    std::printf("norm %.9f\n", norm);
}
