#include <valarray>
void fma_all(const std::valarray<double> &a, const std::valarray<double> &b, std::valarray<double> &c)
{
    for (std::size_t i = 0; i < a.size(); ++i) c[i] = a[i] * b[i] + 1.0;
}
int main()
{
    std::valarray<double> a(222222), b(222222), c(222222);
    fma_all(a, b, c);
}
