// Rayleigh damping in the uppermost rows of a 2D model (sponge layer).
// Blind set: class by hand; operations counted in Python for one point.
#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

constexpr std::size_t kRows = 1500;
constexpr std::size_t kCols = 2000;
constexpr std::size_t kSponge = 1000;   // first damped row

template <typename T>
class Field {
public:
    Field(std::size_t rows, std::size_t cols, T value = T{}) : cols_(cols), data_(rows * cols, value) {}
    T &operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
    const T &operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }

private:
    std::size_t cols_;
    std::vector<T> data_;
};

void apply_sponge(Field<double> &theta, const std::vector<double> &reference, const std::vector<double> &rate, double dt)
{
    for (std::size_t i = kSponge; i < kRows; ++i) {
        const double a = dt * rate[i];
        for (std::size_t j = 0; j < kCols; ++j) {
            theta(i, j) -= a * (theta(i, j) - reference[i]);
        }
    }
}

int main()
{
    Field<double> theta(kRows, kCols, 300.0);
    std::vector<double> reference(kRows), rate(kRows, 0.0);
    for (std::size_t i = 0; i < kRows; ++i) {
        reference[i] = 290.0 + 0.02 * static_cast<double>(i);
        if (i >= kSponge) {
            const double s = std::sin(1.5707963267948966 * static_cast<double>(i - kSponge) / (kRows - kSponge));
            rate[i] = 0.05 * s * s;
        }
    }
    for (int step = 0; step < 10; ++step) apply_sponge(theta, reference, rate, 2.0);
    std::cout << theta(kRows - 1, 0) << '\n';
    return 0;
}
