// Recommender: likeness of a user to each item, and the mean and spread of all that was learned.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

template <class T>
struct Rows {                       // what std::mdspan would be
    const T* base;
    std::size_t count, width;
    const T* operator[](std::size_t r) const { return base + r * width; }
};

constexpr std::size_t kItems = 10000, kDim = 64;

void likeness(Rows<float> items, const float* user, float user_norm, float* score)
{
    for (std::size_t i = 0; i < items.count; ++i) {
        const float* v = items[i];
        float dot = 0.0f, own = 0.0f;
#pragma omp simd reduction(+ : dot, own)
        for (std::size_t k = 0; k < items.width; ++k) {
            dot += v[k] * user[k];
            own += v[k] * v[k];
        }
        score[i] = dot / (std::sqrt(own) * user_norm);
    }
}

struct Moments { double mean, variance; };

Moments moments(const std::vector<float>& w)
{
    double s = 0.0, ss = 0.0;
#pragma omp simd reduction(+ : s, ss)
    for (std::size_t i = 0; i < w.size(); ++i) {
        const double x = w[i];
        s += x;
        ss += x * x;
    }
    const double n = static_cast<double>(w.size());
    return {s / n, ss / n - (s / n) * (s / n)};
}

int main()
{
    std::vector<float> items(kItems * kDim), user(kDim), score(kItems);
    for (std::size_t i = 0; i < items.size(); ++i)
        items[i] = std::sin(0.01f * static_cast<float>(i % 9973));
    float norm = 0.0f;
    for (std::size_t k = 0; k < kDim; ++k) {
        user[k] = std::cos(0.2f * static_cast<float>(k));
        norm += user[k] * user[k];
    }
    likeness(Rows<float>{items.data(), kItems, kDim}, user.data(), std::sqrt(norm), score.data());
    const auto [mean, variance] = moments(items);
    std::printf("%g %g %g\n", score[12], mean, variance);
}
