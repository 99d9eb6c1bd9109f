// X'X of a table of observations, as in a regression.
#include <iostream>
#include <vector>

using Table = std::vector<std::vector<double>>;

void normal_equations(const Table &x, Table &xtx, int rows, int cols)
{
    for (int i = 0; i < cols; i++)
        for (int j = 0; j < cols; j++) {
            double sum = 0;
            for (int r = 0; r < rows; r++) sum += x[r][i] * x[r][j];
            xtx[i][j] = sum;
        }
}

int main()
{
    const int rows = 5000, cols = 40;
    Table x(rows, std::vector<double>(cols, 1.0)), xtx(cols, std::vector<double>(cols));
    normal_equations(x, xtx, rows, cols);
    std::cout << xtx[0][0] << '\n';
}
