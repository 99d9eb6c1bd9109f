// A vibrating beam of variable stiffness: moments from the curvature, then a step of time.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kNodes = 100000;
constexpr double kH = 1.0e-2, kDt = 1.0e-6;

class Beam {
public:
    std::vector<double> w, w_old, stiff, moment, load;
    Beam() : w(kNodes), w_old(kNodes), stiff(kNodes), moment(kNodes), load(kNodes) {}

    void moments();
    void advance();
};

void Beam::moments()
{
    constexpr double ih2 = 1.0 / (kH * kH);
    for (int i = 1; i < kNodes - 1; ++i)
        moment[i] = stiff[i] * (w[i - 1] - 2.0 * w[i] + w[i + 1]) * ih2;
}

void Beam::advance()
{
    constexpr double k = kDt * kDt / (kH * kH), f = kDt * kDt;
#pragma omp parallel for
    for (int i = 2; i < kNodes - 2; ++i) {
        const double bend = moment[i - 1] - 2.0 * moment[i] + moment[i + 1];
        w_old[i] = 2.0 * w[i] - w_old[i] - k * bend + f * load[i];
    }
}

int main()
{
    Beam b;
    for (int i = 0; i < kNodes; ++i) {
        b.w[i] = b.w_old[i] = 0.01 * std::sin(1e-3 * i);
        b.stiff[i] = 200.0 + 1e-4 * i;
        b.load[i] = i % 2000 < 20 ? 5.0 : 0.0;
    }
    for (int step = 0; step < 20; ++step) {
        b.moments();
        b.advance();
        std::swap(b.w, b.w_old);
    }
    std::printf("%g\n", b.w[500]);
}
