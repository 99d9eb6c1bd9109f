#include <vector>
#include <cstdint>
#include <iostream>
struct CsrMatrix { int rows; std::vector<int> row_ptr, col; std::vector<double> val; };
std::vector<double> spmv(const CsrMatrix& A, const std::vector<double>& x) {
  std::vector<double> y(A.rows);
  for (int i = 0; i < A.rows; ++i) {
    double s = 0;
    for (int k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) s += A.val[k] * x[A.col[k]];
    y[i] = s;
  }
  return y;
}
int main() {
  CsrMatrix A{10000, std::vector<int>(10001), std::vector<int>(50000), std::vector<double>(50000)};
  std::vector<double> x(10000, 1.0);
  auto y = spmv(A, x);
  std::cout << y[0] << "\n";
}
