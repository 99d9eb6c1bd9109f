// Reciprocal part of an Ewald sum: structure factors first, then the energy.
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

struct V3 { double x, y, z; };

constexpr int kAtoms = 3000;
constexpr int kWaves = 512;

double dot(const V3& a, const V3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

void structure(const std::vector<V3>& r, const std::vector<double>& charge, const std::vector<V3>& k,
               std::vector<std::complex<double>>& S)
{
    for (int w = 0; w < kWaves; ++w) {
        double re = 0, im = 0;
        for (int a = 0; a < kAtoms; ++a) {
            const double phase = dot(k[w], r[a]);
            re += charge[a] * std::cos(phase);
            im += charge[a] * std::sin(phase);
        }
        S[w] = {re, im};
    }
}

double energy(const std::vector<V3>& k, const std::vector<std::complex<double>>& S, double alpha)
{
    const double f = 0.25 / (alpha * alpha);
    double e = 0;
    for (int w = 0; w < kWaves; ++w) {
        const double k2 = dot(k[w], k[w]);
        const double re = S[w].real(), im = S[w].imag();
        e += std::exp(-(k2 * f)) / k2 * (re * re + im * im);
    }
    return e;
}

int main()
{
    std::vector<V3> r(kAtoms), k(kWaves);
    std::vector<double> q(kAtoms);
    std::vector<std::complex<double>> S(kWaves);
    for (int a = 0; a < kAtoms; ++a) {
        r[a] = {std::fmod(a * 0.618, 1.0) * 20, std::fmod(a * 0.414, 1.0) * 20, std::fmod(a * 0.732, 1.0) * 20};
        q[a] = a & 1 ? -1.0 : 1.0;
    }
    for (int w = 0; w < kWaves; ++w) k[w] = {0.314 * (1 + w % 8), 0.314 * (w / 8 % 8), 0.314 * (w / 64)};
    structure(r, q, k, S);
    std::printf("E = %g\n", energy(k, S, 0.3));
}
