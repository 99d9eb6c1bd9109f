// A grid with its own indexing.
#include <vector>

class Grid {
public:
    Grid(int rows, int cols) : rows_(rows), cols_(cols), data_(rows * cols) {}
    double &operator()(int i, int j) { return data_[i * cols_ + j]; }
    double operator()(int i, int j) const { return data_[i * cols_ + j]; }
    int rows() const { return rows_; }
    int cols() const { return cols_; }

private:
    int rows_, cols_;
    std::vector<double> data_;
};

void laplace(const Grid &u, Grid &out)
{
    for (int i = 1; i < u.rows() - 1; ++i)
        for (int j = 1; j < u.cols() - 1; ++j)
            out(i, j) = u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0 * u(i, j);
}

int main()
{
    Grid u(1200, 1600), out(1200, 1600);
    laplace(u, out);
    return out(5, 5) > 0;
}
