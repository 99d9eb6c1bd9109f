#include <vector>
#include <iostream>
#include <chrono>
#include <random>
using Matrix = std::vector<std::vector<double>>;
void multiply(const Matrix& a, const Matrix& b, Matrix& c) {
  const size_t n = a.size(), m = b[0].size(), k = b.size();
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < m; ++j) {
      double s = 0.0;
      for (size_t l = 0; l < k; ++l) s += a[i][l] * b[l][j];
      c[i][j] = s;
    }
}
int main() {
  Matrix a(300, std::vector<double>(400)), b(400, std::vector<double>(500)), c(300, std::vector<double>(500));
  auto t0 = std::chrono::high_resolution_clock::now();
  multiply(a, b, c);
  auto t1 = std::chrono::high_resolution_clock::now();
  std::cout << std::chrono::duration<double>(t1 - t0).count() << " " << c[1][1] << "\n";
}
