#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kFrames = 2000;
constexpr int kBins = 512;
constexpr int kBands = 32;
constexpr int kPerBand = kBins / kBands;

// IEC 61672 weighting A as a factor of power
void a_curve(std::vector<double>& w, double df) {
    constexpr double c1 = 12194.0 * 12194.0, c2 = 20.6 * 20.6, c3 = 107.7 * 107.7, c4 = 737.9 * 737.9;
    for (int k = 0; k < kBins; ++k) {
        const double f = (k + 1) * df;
        const double f2 = f * f;
        const double num = c1 * f2 * f2;
        const double den = (f2 + c2) * std::sqrt((f2 + c3) * (f2 + c4)) * (f2 + c1);
        const double r = num / den;
        w[k] = 1.5849 * r * r;
    }
}

void band_levels(const std::vector<double>& power, const std::vector<double>& w,
                 std::vector<double>& level) {
    for (int t = 0; t < kFrames; ++t) {
        for (int b = 0; b < kBands; ++b) {
            double e = 0.0;
            for (int i = b * kPerBand; i < (b + 1) * kPerBand; ++i)
                e += power[t * kBins + i] * w[i];
            level[t * kBands + b] = 10.0 * std::log10(e + 1e-12);
        }
    }
}

void equivalent_level(const std::vector<double>& level, std::vector<double>& leq) {
    for (int b = 0; b < kBands; ++b) {
        double s = 0.0;
        for (int t = 0; t < kFrames; ++t)
            s += std::pow(10.0, 0.1 * level[t * kBands + b]);
        leq[b] = 10.0 * std::log10(s / kFrames);
    }
}

int main() {
    std::vector<double> power(kFrames * kBins), w(kBins), level(kFrames * kBands), leq(kBands);
    for (size_t i = 0; i < power.size(); ++i) power[i] = 1e-6 * ((i * 37) % 1009 + 1);
    a_curve(w, 43.066);
    band_levels(power, w, level);
    equivalent_level(level, leq);
    std::printf("%.2f %.2f\n", leq[0], leq[31]);
}
