#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// A cubic spline on uneven knots, at points in any order
struct Spline {
    std::vector<double> x, y, y2;
};

void evaluate(const double* x, const double* y, const double* y2, int knots, const double* at, double* out, int points)
{
    #pragma omp parallel for
    for (int p = 0; p < points; ++p) {
        int lo = 0, hi = knots - 1;
        while (hi - lo > 1) {
            if (x[lo] <= at[p] && at[p] < x[lo + 1]) {   // often the first guess is right
                hi = lo + 1;
                break;
            }
            int mid = (hi + lo) / 2;
            if (x[mid] > at[p]) hi = mid;
            else lo = mid;
        }
        double h = x[hi] - x[lo];
        double a = (x[hi] - at[p]) / h;
        double b = (at[p] - x[lo]) / h;
        out[p] = a * y[lo] + b * y[hi] + ((a * a * a - a) * y2[lo] + (b * b * b - b) * y2[hi]) * h * h / 6.0;
    }
}

int main()
{
    const int knots = 500, points = 200000;
    Spline s;
    for (int k = 0; k < knots; ++k) {
        double x = k * 0.01 + 0.003 * std::sin(k);
        s.x.push_back(x);
        s.y.push_back(std::sin(x));
        s.y2.push_back(-std::sin(x));
    }
    std::vector<double> at(points), out(points);
    for (auto& a : at) a = 4.9 * rand() / RAND_MAX + 0.01;
    evaluate(s.x.data(), s.y.data(), s.y2.data(), knots, at.data(), out.data(), points);
    double worst = 0;
    for (int p = 0; p < points; ++p) worst = std::fmax(worst, std::fabs(out[p] - std::sin(at[p])));
    std::printf("off by at most %g\n", worst);
    return 0;
}
