#include <cstddef>
#include <vector>

template <typename Real>
void axpby(Real alpha, const std::vector<Real> &x, Real beta, std::vector<Real> &y)
{
    for (std::size_t i = 0; i < x.size(); ++i)
        y[i] = alpha * x[i] + beta * y[i];
}

int main()
{
    std::vector<double> x(750000, 1.0), y(750000, 2.0);
    axpby<double>(0.5, x, 0.25, y);
    return y.front() > 0 ? 0 : 1;
}
