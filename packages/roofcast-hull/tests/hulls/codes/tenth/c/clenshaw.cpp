// Chebyshev series at many points by Clenshaw's recurrence, in a template on the number type and the order.
// Self-counted at full size.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

template <typename T, int ORDER>
class ChebSeries {
public:
    explicit ChebSeries(const T* c) : c_(c) {}
    T operator()(T x) const
    {
        T b1 = 0, b2 = 0;
        const T twox = T(2) * x;
        for (int k = ORDER - 1; k > 0; --k) {
            const T t = twox * b1 - b2 + c_[k];
            b2 = b1;
            b1 = t;
        }
        return x * b1 - b2 + c_[0];
    }

private:
    const T* c_;
};

static const int POINTS = 200000;
static const int ORDER = 24;

void evaluate(const float* coeffs, const float* x, float* y)
{
    ChebSeries<float, ORDER> series(coeffs);
#pragma omp parallel for simd
    for (int i = 0; i < POINTS; ++i) y[i] = series(x[i]);
}

// trapezoidal weights applied to the values: the integral over the (sorted) nodes
float trapezium(const float* x, const float* y)
{
    float sum = 0.0f;
    for (int i = 0; i + 1 < POINTS; ++i) sum += 0.5f * (y[i] + y[i + 1]) * (x[i + 1] - x[i]);
    return sum;
}

int main(int argc, char* argv[])
{
    int repeat = (argc > 1) ? std::atoi(argv[1]) : 3;
    std::vector<float> c(ORDER), x(POINTS), y(POINTS);
    for (int k = 0; k < ORDER; ++k) c[k] = 1.0f / (1 + k * k);
    for (int i = 0; i < POINTS; ++i) x[i] = -1.0f + 2.0f * i / (POINTS - 1);
    auto t0 = std::chrono::steady_clock::now();
    for (int r = 0; r < repeat; ++r) evaluate(c.data(), x.data(), y.data());
    auto us = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - t0).count();
    std::printf("%f, integral %f, %ld us\n", y[1234], trapezium(x.data(), y.data()), static_cast<long>(us));
    return 0;
}
