#include <array>
#include <cmath>
#include <span>
#include <vector>

const int ROWS = 900;
const int COLS = 1100;

class Grid {
  public:
    Grid(int r, int c) : rows_(r), cols_(c), data_(r * c) {}
    double &operator()(int i, int j) { return data_[i * cols_ + j]; }
    const double &operator()(int i, int j) const { return data_[i * cols_ + j]; }

  private:
    int rows_, cols_;
    std::vector<double> data_;
};

void relax(const Grid &a, Grid &b)
{
    for (int i = 1; i < ROWS - 1; ++i)
        for (int j = 1; j < COLS - 1; ++j)
            b(i, j) = 0.25 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1));
}

void row_totals(const std::vector<std::vector<float>> &m, std::vector<float> &t)
{
    for (int i = 0; i < ROWS; ++i) {
        float s = 0;
        for (int j = 0; j < COLS; ++j) s += m[i][j];
        t[i] = s;
    }
}

void clamp_span(std::span<const float> in, std::span<float> out)
{
    for (std::size_t i = 0; i < 500000; ++i) {
        float v = in[i];
        if (v < 0.f) v = 0.f;
        if (v > 1.f) v = 1.f;
        out[i] = v;
    }
}

struct Vec3 {
    double x, y, z;
    Vec3 operator+(const Vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
    Vec3 operator*(double s) const { return {x * s, y * s, z * s}; }
    double dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
};

void kick(std::vector<Vec3> &v, const std::vector<Vec3> &a, double dt)
{
    for (int i = 0; i < 250000; ++i) v[i] = v[i] + a[i] * dt;
}

double kinetic(const std::vector<Vec3> &v, const std::vector<double> &m)
{
    double e = 0;
#pragma omp parallel for reduction(+ : e)
    for (int i = 0; i < 250000; ++i) e += 0.5 * m[i] * v[i].dot(v[i]);
    return e;
}

void normalise_all(std::array<float, 65536> &a, float mean, float sd)
{
    for (auto &v : a) v = (v - mean) / sd;
}

template <typename T>
void axpy(int n, T alpha, const T *__restrict x, T *__restrict y)
{
    for (int i = 0; i < n; ++i) y[i] += alpha * x[i];
}

template void axpy<double>(int, double, const double *, double *);

void heat_steps(double *u, double *v)
{
    auto id = [](int i, int j) { return i * 512 + j; };
    for (int t = 0; t < 50; ++t) {
        for (int i = 1; i < 511; ++i)
            for (int j = 1; j < 511; ++j)
                v[id(i, j)] = u[id(i, j)] + 0.1 * (u[id(i + 1, j)] + u[id(i - 1, j)] + u[id(i, j + 1)] + u[id(i, j - 1)] - 4 * u[id(i, j)]);
        std::swap(u, v);
    }
}
