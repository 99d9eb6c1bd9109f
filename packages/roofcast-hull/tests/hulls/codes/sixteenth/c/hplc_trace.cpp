// Chromatography: a trace less its rolling baseline, areas of the windows of known compounds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kPoints = 60000, kReach = 25, kWindow = 400, kCompounds = kPoints / kWindow;

void subtract_baseline(const std::vector<double>& y, std::vector<double>& out)
{
    const int n = static_cast<int>(y.size());
    for (int i = 0; i < n; ++i) {
        const int lo = std::max(0, i - kReach), hi = std::min(n - 1, i + kReach);
        double base = y[i];
        for (int j = lo; j <= hi; ++j)
            base = std::min(base, y[j]);
        out[i] = y[i] - base;
    }
}

void peak_areas(const double* y, double dt, double* area)
{
    const double half = 0.5 * dt;
    for (int c = 0; c < kCompounds; ++c, y += kWindow) {
        double a = 0.0;
        for (int j = 0; j + 1 < kWindow; ++j)
            a += y[j] + y[j + 1];
        area[c] = a * half;
    }
}

int main()
{
    std::vector<double> raw(kPoints), clean(kPoints), area(kCompounds);
    for (int i = 0; i < kPoints; ++i) {
        const double d = (i % kWindow - 200) / 15.0;
        raw[i] = 3.0 + 1e-5 * i + 40.0 * std::exp(-d * d);
    }
    subtract_baseline(raw, clean);
    peak_areas(clean.data(), 0.05, area.data());
    std::printf("%g %g\n", clean[200], area[4]);
}
