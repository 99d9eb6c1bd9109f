// Explicit diffusion with a small multi-dimensional view (mdspan-like), conductivity per cell.
// Operations: self-counting number at full size.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

template <class T>
class view2d {
public:
    view2d(T* data, std::size_t rows, std::size_t cols) : data_(data), rows_(rows), cols_(cols) {}
    T& operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }
    std::size_t extent(int d) const { return d == 0 ? rows_ : cols_; }

private:
    T* data_;
    std::size_t rows_, cols_;
};

constexpr std::size_t ny = 768;
constexpr std::size_t nx = 1024;

// out = u + dt * div(kappa grad u), faces by the arithmetic mean
void diffuse(view2d<double> out, view2d<const double> u, view2d<const double> kappa, double dt)
{
    for (std::size_t i = 1; i + 1 < u.extent(0); ++i) {
        for (std::size_t j = 1; j + 1 < u.extent(1); ++j) {
            const double kc = kappa(i, j);
            const double fe = 0.5 * (kc + kappa(i, j + 1)) * (u(i, j + 1) - u(i, j));
            const double fw = 0.5 * (kc + kappa(i, j - 1)) * (u(i, j) - u(i, j - 1));
            const double fs = 0.5 * (kc + kappa(i + 1, j)) * (u(i + 1, j) - u(i, j));
            const double fn = 0.5 * (kc + kappa(i - 1, j)) * (u(i, j) - u(i - 1, j));
            out(i, j) = u(i, j) + dt * ((fe - fw) + (fs - fn));
        }
    }
}

// copy the rim: Dirichlet values stay
void copy_rim(view2d<double> out, view2d<const double> u)
{
    for (std::size_t j = 0; j < nx; ++j) {
        out(0, j) = u(0, j);
        out(ny - 1, j) = u(ny - 1, j);
    }
    for (std::size_t i = 1; i < ny - 1; ++i) {
        out(i, 0) = u(i, 0);
        out(i, nx - 1) = u(i, nx - 1);
    }
}

int main(int argc, char** argv)
{
    const int steps = argc > 1 ? std::atoi(argv[1]) : 20;
    std::vector<double> a(ny * nx, 0.0), b(ny * nx, 0.0), k(ny * nx, 1.0);
    for (std::size_t j = 0; j < nx; ++j) a[j] = 100.0;
    for (std::size_t i = 0; i < ny * nx; ++i) k[i] += 0.1 * double(i % 9);
    for (int s = 0; s < steps; ++s) {
        view2d<double> out(b.data(), ny, nx);
        view2d<const double> in(a.data(), ny, nx), kap(k.data(), ny, nx);
        copy_rim(out, in);
        diffuse(out, in, kap, 0.1);
        std::swap(a, b);
    }
    std::printf("u[3][17] = %.9f\n", a[3 * nx + 17]);
    return 0;
}
