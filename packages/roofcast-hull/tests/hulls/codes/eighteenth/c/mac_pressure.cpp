// Marker-and-cell grid: divergence of the face velocities, and what the pressure takes off them.
#include <cstdio>
#include <vector>

constexpr int NX = 400, NY = 300;

template <int Rows, int Cols>
struct Grid {
    std::vector<double> v = std::vector<double>(std::size_t(Rows) * Cols);
    double&       operator()(int j, int i)       { return v[std::size_t(j) * Cols + i]; }
    const double& operator()(int j, int i) const { return v[std::size_t(j) * Cols + i]; }
};

using CellGrid  = Grid<NY, NX>;
using XFaceGrid = Grid<NY, NX + 1>;
using YFaceGrid = Grid<NY + 1, NX>;

void divergence(const XFaceGrid& u, const YFaceGrid& w, CellGrid& div, double h)
{
    for (int j = 0; j < NY; ++j)
        for (int i = 0; i < NX; ++i)
            div(j, i) = (u(j, i + 1) - u(j, i) + w(j + 1, i) - w(j, i)) / h;
}

void project_x(XFaceGrid& u, const CellGrid& p, double k)
{
    for (int j = 0; j < NY; ++j)
        for (int i = 1; i < NX; ++i)
            u(j, i) -= k * (p(j, i) - p(j, i - 1));
}

int main()
{
    XFaceGrid u; YFaceGrid w; CellGrid div, p;
    for (int j = 0; j < NY; ++j)
        for (int i = 0; i <= NX; ++i) u(j, i) = 0.01 * ((i * 7 + j * 3) % 50);
    divergence(u, w, div, 0.1);
    for (int j = 0; j < NY; ++j)
        for (int i = 0; i < NX; ++i) p(j, i) = -0.0025 * div(j, i);
    project_x(u, p, 10.0);
    std::printf("%g\n", u(20, 30));
}
