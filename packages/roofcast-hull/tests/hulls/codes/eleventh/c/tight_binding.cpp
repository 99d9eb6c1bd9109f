// Density of states of a square lattice in a magnetic field by kernel polynomials.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

struct cplx {
    double re, im;
};
inline cplx operator+(cplx a, cplx b) { return {a.re + b.re, a.im + b.im}; }
inline cplx operator-(cplx a, cplx b) { return {a.re - b.re, a.im - b.im}; }
inline cplx operator*(cplx a, cplx b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline cplx operator*(double s, cplx a) { return {s * a.re, s * a.im}; }
inline cplx conj(cplx a) { return {a.re, -a.im}; }

constexpr int LX = 256, LY = 256;

// next = 2 H cur - next, hopping with a phase of the column along y
void recurse(const std::vector<cplx> &cur, std::vector<cplx> &next, const std::vector<double> &onsite,
             const std::vector<cplx> &up, const std::vector<cplx> &down, double hop)
{
    for (int y = 0; y < LY; ++y) {
        const int yp = (y + 1) % LY, ym = (y + LY - 1) % LY;
        for (int x = 0; x < LX; ++x) {
            const int xp = (x + 1) % LX, xm = (x + LX - 1) % LX;
            cplx h = cur[y * LX + xp] + cur[y * LX + xm];
            h = h + up[x] * cur[yp * LX + x] + down[x] * cur[ym * LX + x];
            h = hop * h + onsite[y * LX + x] * cur[y * LX + x];
            next[y * LX + x] = 2.0 * h - next[y * LX + x];
        }
    }
}

double moment(const std::vector<cplx> &a, const std::vector<cplx> &b)
{
    double s = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        s += a[i].re * b[i].re + a[i].im * b[i].im;
    return s;
}

int main()
{
    const int n = LX * LY;
    std::vector<cplx> start(n), cur(n), next(n), up(LX), down(LX);
    std::vector<double> onsite(n), mu;
    for (int i = 0; i < n; ++i) {
        start[i] = {std::cos(1.7 * i) / 181.0, std::sin(2.3 * i) / 181.0};
        onsite[i] = 0.1 * std::sin(0.37 * i);
        next[i] = {0.0, 0.0};
    }
    for (int x = 0; x < LX; ++x) {
        up[x] = {std::cos(0.05 * x), std::sin(0.05 * x)};
        down[x] = conj(up[x]);
    }
    cur = start;
    for (int m = 0; m < 12; ++m) {
        recurse(cur, next, onsite, up, down, -0.24);
        std::swap(cur, next);
        mu.push_back(moment(start, cur));
    }
    std::printf("%g %g\n", mu[0], mu[11]);
}
