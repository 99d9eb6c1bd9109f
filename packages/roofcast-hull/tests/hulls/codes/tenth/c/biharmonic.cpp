// 13-point biharmonic operator as a class with operator(), and the energy of a plate u^T (A u).
// Self-counted at full size.
#include <cstdio>
#include <vector>

constexpr int NY = 515;
constexpr int NX = 771;

struct Grid {
    int ny, nx;
    std::vector<double> a;
    Grid(int ny_, int nx_) : ny(ny_), nx(nx_), a(static_cast<std::size_t>(ny_) * nx_, 0.0) {}
    double& at(int j, int i) { return a[static_cast<std::size_t>(j) * nx + i]; }
    const double& at(int j, int i) const { return a[static_cast<std::size_t>(j) * nx + i]; }
};

class Biharmonic {
public:
    Biharmonic(const Grid& u, double h) : u_(u), ih4_(1.0 / (h * h * h * h)) {}
    double operator()(int j, int i) const
    {
        const double near = u_.at(j, i - 1) + u_.at(j, i + 1) + u_.at(j - 1, i) + u_.at(j + 1, i);
        const double diag = u_.at(j - 1, i - 1) + u_.at(j - 1, i + 1) + u_.at(j + 1, i - 1) + u_.at(j + 1, i + 1);
        const double far = u_.at(j, i - 2) + u_.at(j, i + 2) + u_.at(j - 2, i) + u_.at(j + 2, i);
        return ih4_ * (20.0 * u_.at(j, i) - 8.0 * near + 2.0 * diag + far);
    }

private:
    const Grid& u_;
    double ih4_;
};

void apply(const Grid& u, Grid& out, double h)
{
    const Biharmonic op(u, h);
#pragma omp parallel for
    for (int j = 2; j < NY - 2; ++j)
        for (int i = 2; i < NX - 2; ++i) out.at(j, i) = op(j, i);
}

double inner(const Grid& p, const Grid& q)
{
    double s = 0.0;
#pragma omp parallel for collapse(2) reduction(+ : s)
    for (int j = 0; j < NY; ++j)
        for (int i = 0; i < NX; ++i) s += p.at(j, i) * q.at(j, i);
    return s;
}

int main()
{
    Grid u(NY, NX), au(NY, NX);
    for (int j = 0; j < NY; ++j)
        for (int i = 0; i < NX; ++i) u.at(j, i) = 1e-3 * ((j * 5 + i * 3) % 17);
    apply(u, au, 0.5);
    std::printf("energy %.8e\n", 0.5 * inner(u, au));
    return 0;
}
