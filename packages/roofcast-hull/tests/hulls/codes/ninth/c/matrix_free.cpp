// Matrix-free -div(k grad u) on a square grid with one layer of ghost cells,
// and the squared residual norm that the solvers stop by.
#include <cstdio>
#include <vector>

struct Grid {
    int n;              // inner cells a side
    int pitch() const { return n + 2; }
    std::size_t at(int i, int j) const { return std::size_t(i) * pitch() + j; }
};

template <typename T>
void apply_operator(const Grid& g, const std::vector<T>& k, const std::vector<T>& u,
                    std::vector<T>& au)
{
    const T scale = T(0.5) * T(g.n) * T(g.n);   // 1/2 of the two k's, 1/h^2

#pragma omp parallel for
    for (int i = 1; i <= g.n; ++i) {
        for (int j = 1; j <= g.n; ++j) {
            const std::size_t c = g.at(i, j);
            const std::size_t n = g.at(i - 1, j), s = g.at(i + 1, j);
            const std::size_t w = c - 1, e = c + 1;
            au[std::size_t(i - 1) * g.n + (j - 1)] =
                scale * ((k[c] + k[n]) * (u[c] - u[n]) + (k[c] + k[s]) * (u[c] - u[s]) +
                         (k[c] + k[w]) * (u[c] - u[w]) + (k[c] + k[e]) * (u[c] - u[e]));
        }
    }
}

template <typename T>
T residual_norm2(const std::vector<T>& b, const std::vector<T>& au)
{
    T sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t i = 0; i < b.size(); ++i) {
        const T r = b[i] - au[i];
        sum += r * r;
    }
    return sum;
}

int main()
{
    const Grid g{1024};
    const std::size_t padded = std::size_t(g.pitch()) * g.pitch();
    const std::size_t inner = std::size_t(g.n) * g.n;

    std::vector<double> k(padded), u(padded), au(inner), b(inner, 1.0);
    for (std::size_t p = 0; p < padded; ++p) {
        k[p] = 1.0 + 0.5 * double(p % 17) / 17.0;
        u[p] = double(p % 5) * 1e-7;
    }

    apply_operator(g, k, u, au);
    std::printf("|b - Au|^2 = %.6e\n", residual_norm2(b, au));
    return 0;
}
