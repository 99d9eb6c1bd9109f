#include <vector>

class Grid {
public:
    Grid(int rows, int cols) : rows_(rows), cols_(cols), cells_(rows * cols, 0.0f) {}
    float &operator()(int r, int c) { return cells_[r * cols_ + c]; }
    float operator()(int r, int c) const { return cells_[r * cols_ + c]; }
    int rows() const { return rows_; }
    int cols() const { return cols_; }

private:
    int rows_, cols_;
    std::vector<float> cells_;
};

void smooth(const Grid &in, Grid &out)
{
    for (int r = 1; r < in.rows() - 1; ++r)
        for (int c = 1; c < in.cols() - 1; ++c)
            out(r, c) = 0.2f * (in(r, c) + in(r - 1, c) + in(r + 1, c) + in(r, c - 1) + in(r, c + 1));
}

int main()
{
    Grid a(900, 1100), b(900, 1100);
    smooth(a, b);
    return b(5, 5) > 0;
}
