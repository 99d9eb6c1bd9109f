#include <cmath>
#include <cstdio>
#include <vector>

namespace xtal {
constexpr int kUnique = 30000;
constexpr int kEquivalents = 8;

struct Intensity { float i, sigma; };

// weighted mean of the symmetry equivalents of each reflection
void merge(const std::vector<Intensity>& obs, std::vector<Intensity>& merged) {
    for (int h = 0; h < kUnique; ++h) {
        float sw = 0.f, swi = 0.f;
        const Intensity* o = &obs[h * kEquivalents];
        for (int k = 0; k < kEquivalents; ++k) {
            const float w = 1.f / (o[k].sigma * o[k].sigma);
            sw += w;
            swi += w * o[k].i;
        }
        merged[h].i = swi / sw;
        merged[h].sigma = 1.f / std::sqrt(sw);
    }
}

void amplitudes(const std::vector<Intensity>& merged, std::vector<float>& f, std::vector<float>& sf) {
    for (int h = 0; h < kUnique; ++h) {
        const Intensity m = merged[h];
        const float a = std::sqrt(std::fmax(m.i, 0.f));
        f[h] = a;
        sf[h] = m.sigma / (2.f * std::fmax(a, 0.01f));
    }
}

double r_factor(const std::vector<float>& fo, const std::vector<float>& fc) {
    double oc = 0, cc = 0;
    for (int h = 0; h < kUnique; ++h) {
        oc += fo[h] * fc[h];
        cc += fc[h] * fc[h];
    }
    const double k = oc / cc;
    double diff = 0, sum = 0;
    for (int h = 0; h < kUnique; ++h) {
        diff += std::fabs(fo[h] - k * fc[h]);
        sum += fo[h];
    }
    return diff / sum;
}
}  // namespace xtal

int main() {
    using namespace xtal;
    std::vector<Intensity> obs(kUnique * kEquivalents), merged(kUnique);
    std::vector<float> f(kUnique), sf(kUnique), fc(kUnique);
    for (size_t n = 0; n < obs.size(); ++n)
        obs[n] = {float((n * 7919) % 4001) - 20.f, 1.f + float(n % 13)};
    for (int h = 0; h < kUnique; ++h) fc[h] = 40.f + float(h % 11);
    merge(obs, merged);
    amplitudes(merged, f, sf);
    std::printf("R = %.4f\n", r_factor(f, fc));
}
