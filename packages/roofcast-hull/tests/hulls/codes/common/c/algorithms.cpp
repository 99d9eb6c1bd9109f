#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

constexpr std::size_t N = 1200000;

void scale_transform(const std::vector<float> &in, std::vector<float> &out)
{
    std::transform(in.begin(), in.begin() + N, out.begin(), [](float v) { return 3.0f * v + 1.0f; });
}

void add_transform(const double *a, const double *b, double *c)
{
    std::transform(a, a + N, b, c, std::plus<double>());
}

double sum_accumulate(const double *x)
{
    return std::accumulate(x, x + N, 0.0);
}

double dot_inner(const double *x, const double *y)
{
    return std::inner_product(x, x + N, y, 0.0);
}

void halve_in_place(double *x, double factor)
{
    std::for_each(x, x + N, [factor](double &v) { v *= factor; });
}

void relu_capture(const float *x, float *y)
{
    auto f = [&](std::size_t i) { y[i] = std::max(x[i], 0.0f); };
    for (std::size_t i = 0; i < N; ++i) f(i);
}

float largest(const float *x)
{
    return *std::max_element(x, x + N);
}

void fill_and_copy(const float *x, float *y)
{
    std::copy(x, x + N, y);
}
