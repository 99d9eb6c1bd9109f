// Stresses at the points of integration of an orthotropic part, in Voigt's notation, and their equivalent.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

template <std::size_t N>
using Vec = std::array<double, N>;
template <std::size_t R, std::size_t C>
using Mat = std::array<std::array<double, C>, R>;

constexpr std::size_t kPoints = 60000;

template <std::size_t R, std::size_t C>
inline Vec<R> operator*(const Mat<R, C>& m, const Vec<C>& x)
{
    Vec<R> y{};
    for (std::size_t r = 0; r < R; ++r)
        for (std::size_t c = 0; c < C; ++c)
            y[r] += m[r][c] * x[c];
    return y;
}

void hooke(const Mat<6, 6>& C, const std::vector<Vec<6>>& strain, std::vector<Vec<6>>& stress)
{
    for (std::size_t p = 0; p < kPoints; ++p)
        stress[p] = C * strain[p];
}

void von_mises(const std::vector<Vec<6>>& stress, std::vector<double>& eq)
{
    for (std::size_t p = 0; p < kPoints; ++p) {
        const auto& [xx, yy, zz, yz, xz, xy] = stress[p];
        const double a = xx - yy, b = yy - zz, c = zz - xx;
        eq[p] = std::sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (yz * yz + xz * xz + xy * xy));
    }
}

int main()
{
    Mat<6, 6> C{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            C[i][j] = i == j ? 140.0 : 55.0;
    C[3][3] = 31.0; C[4][4] = 29.0; C[5][5] = 37.0;
    std::vector<Vec<6>> strain(kPoints), stress(kPoints);
    std::vector<double> eq(kPoints);
    for (std::size_t p = 0; p < kPoints; ++p)
        for (std::size_t k = 0; k < 6; ++k)
            strain[p][k] = 1e-4 * static_cast<double>((p * 7 + k) % 23);
    hooke(C, strain, stress);
    von_mises(stress, eq);
    std::printf("%g\n", eq[321]);
}
