// Reflectance of a dielectric stack by characteristic matrices, [[a, i b], [i c, d]] with real a to d.
#include <cmath>
#include <cstdio>
#include <vector>

struct Stack { std::vector<double> index, thickness; };

struct Char2 {
    double a, b, c, d;
    Char2 then(double n, double delta) const {
        const double cs = std::cos(delta), sn = std::sin(delta);
        const double over = sn / n, times = sn * n;
        return {a * cs - b * times, a * over + b * cs, c * cs + d * times, d * cs - c * over};
    }
};

const int kWaves = 4000;
const int kLayers = 20;

void reflectance(const double* wavelength, const double* n, const double* d, double substrate, double* r) {
    for (int w = 0; w < kWaves; ++w) {
        const double k = 6.283185307179586 / wavelength[w];
        Char2 m = {1.0, 0.0, 0.0, 1.0};
        for (int l = 0; l < kLayers; ++l) m = m.then(n[l], k * n[l] * d[l]);
        const double bs = m.b * substrate, ds = m.d * substrate;
        const double as = m.a;
        const double cs = m.c;
        const double re_minus = as - ds, im_minus = bs - cs;
        const double re_plus = as + ds, im_plus = bs + cs;
        r[w] = (re_minus * re_minus + im_minus * im_minus) / (re_plus * re_plus + im_plus * im_plus);
    }
}

int main() {
    Stack s{std::vector<double>(kLayers), std::vector<double>(kLayers)};
    std::vector<double> wave(kWaves), r(kWaves);
    for (int l = 0; l < kLayers; ++l) {
        s.index[l] = l % 2 ? 1.46 : 2.35;
        s.thickness[l] = 0.55 / (4.0 * s.index[l]);
    }
    for (int w = 0; w < kWaves; ++w) wave[w] = 0.4 + 0.0001 * w;
    reflectance(wave.data(), s.index.data(), s.thickness.data(), 1.52, r.data());
    std::printf("%f %f\n", r[0], r[1500]);
}
