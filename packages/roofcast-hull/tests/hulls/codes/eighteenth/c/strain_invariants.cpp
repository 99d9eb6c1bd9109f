// Invariants and equivalent strain of symmetric tensors at the integration points.
#include <cmath>
#include <cstdio>
#include <vector>

struct Sym3 {
    double xx, yy, zz, xy, yz, zx;
    double trace() const { return xx + yy + zz; }
    double det() const
    {
        return xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * zx) + zx * (xy * yz - yy * zx);
    }
};

constexpr std::size_t POINTS = 150000;

void invariants(const std::vector<Sym3>& eps, std::vector<double>& i1, std::vector<double>& i3)
{
    for (std::size_t p = 0; p < POINTS; ++p) {
        i1[p] = eps[p].trace();
        i3[p] = eps[p].det();
    }
}

double largest_equivalent(const std::vector<Sym3>& eps)
{
    double top = 0.0;
    for (std::size_t p = 0; p < POINTS; ++p) {
        const Sym3& e = eps[p];
        const double m = e.trace() / 3.0;
        const double a = e.xx - m, b = e.yy - m, c = e.zz - m;
        const double s = a * a + b * b + c * c + 2.0 * (e.xy * e.xy + e.yz * e.yz + e.zx * e.zx);
        top = std::fmax(top, std::sqrt(2.0 / 3.0 * s));
    }
    return top;
}

int main()
{
    std::vector<Sym3> eps(POINTS);
    std::vector<double> i1(POINTS), i3(POINTS);
    for (std::size_t p = 0; p < POINTS; ++p)
        eps[p] = Sym3{1e-3 * (p % 7), 2e-3 * (p % 5), -1e-3 * (p % 3), 1e-4 * (p % 11), 0.0, 5e-4};
    invariants(eps, i1, i3);
    std::printf("%g %g %g\n", i1[6], i3[6], largest_equivalent(eps));
}
