// Advection and diffusion of a tracer in a box, upwind in x.
#include <cstdio>
#include <utility>
#include <vector>

template <class Real>
class Box {
  public:
    Box(int nz, int ny, int nx) : nz(nz), ny(ny), nx(nx), v(size_t(nz) * ny * nx) {}
    Real& operator()(int k, int j, int i) { return v[(size_t(k) * ny + j) * nx + i]; }
    const Real& operator()(int k, int j, int i) const { return v[(size_t(k) * ny + j) * nx + i]; }
    const int nz, ny, nx;
    std::vector<Real> v;
};

constexpr int NZ = 48, NY = 96, NX = 160;

void spread(const Box<double>& c, Box<double>& next, double u, double kappa)
{
    for (int k = 1; k < NZ - 1; ++k)
        for (int j = 1; j < NY - 1; ++j)
            for (int i = 1; i < NX - 1; ++i) {
                const double here = c(k, j, i);
                const double lap = c(k - 1, j, i) + c(k + 1, j, i) + c(k, j - 1, i) + c(k, j + 1, i)
                                 + c(k, j, i - 1) + c(k, j, i + 1) - 6.0 * here;
                next(k, j, i) = here - u * (here - c(k, j, i - 1)) + kappa * lap;
            }
}

void rain_out(Box<double>& c, const std::vector<double>& washed)
{
    for (int k = 0; k < NZ; ++k)
        for (int j = 0; j < NY; ++j)
            for (int i = 0; i < NX; ++i)
                c(k, j, i) *= 1.0 - washed[k];
}

void column_load(const Box<double>& c, std::vector<double>& load)
{
    for (int j = 0; j < NY; ++j)
        for (int i = 0; i < NX; ++i) {
            double s = 0;
            for (int k = 0; k < NZ; ++k) s += c(k, j, i);
            load[j * NX + i] = s;
        }
}

int main()
{
    Box<double> a(NZ, NY, NX), b(NZ, NY, NX);
    std::vector<double> washed(NZ, 0.001), load(NY * NX);
    a(20, 40, 30) = 1e3;
    for (int t = 0; t < 10; ++t) {
        spread(a, b, 0.3, 0.05);
        rain_out(b, washed);
        std::swap(a.v, b.v);
    }
    column_load(a, load);
    std::printf("%g\n", load[40 * NX + 31]);
}
