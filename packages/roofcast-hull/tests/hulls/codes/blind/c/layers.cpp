#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

constexpr std::size_t kTokens = 1024;
constexpr std::size_t kWidth = 512;

template <typename T> T square(T v) { return v * v; }

void rms_norm(const float *__restrict x, const float *__restrict gain, float *__restrict y)
{
    for (std::size_t t = 0; t < kTokens; ++t) {
        const float *row = x + t * kWidth;
        float s = 0.f;
        for (std::size_t i = 0; i < kWidth; ++i) s += square(row[i]);
        const float inv = 1.0f / std::sqrt(s / kWidth + 1e-6f);
        for (std::size_t i = 0; i < kWidth; ++i) y[t * kWidth + i] = row[i] * inv * gain[i];
    }
}

void leaky(std::vector<double> &v)
{
    for (double &e : v) e = e > 0 ? e : 0.01 * e;
}

void residual(double *h, const double *delta)
{
    for (auto i = 0u; i < kTokens * kWidth; i++) h[i] += delta[i];
}
