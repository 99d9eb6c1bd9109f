#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

template <typename T>
class Matrix {
public:
    Matrix(std::size_t rows, std::size_t cols, T value = T()) : rows_(rows), cols_(cols), data_(rows * cols, value) {}
    std::size_t rows() const { return rows_; }
    std::size_t cols() const { return cols_; }
    T& operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
    const T& operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }

private:
    std::size_t rows_, cols_;
    std::vector<T> data_;
};

template <typename T>
void hidden_state(const Matrix<T>& w, const std::vector<T>& x, const std::vector<T>& bias, std::vector<T>& y)
{
    for (std::size_t i = 0; i < w.rows(); ++i) {
        T acc = bias[i];
        for (std::size_t j = 0; j < w.cols(); ++j)
            acc += w(i, j) * x[j];
        y[i] = std::tanh(acc);
    }
}

int main()
{
    Matrix<double> w(480, 350, 0.01);
    std::vector<double> x(350, 0.5), bias(480, -0.1), y(480);
    w(0, 0) = 2.0;
    hidden_state(w, x, bias, y);
    std::cout << y[0] << " " << y[479] << "\n";
    return 0;
}
