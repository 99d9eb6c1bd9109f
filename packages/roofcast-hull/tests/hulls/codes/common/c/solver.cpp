#include <vector>
#include <iostream>
#include <memory>
class Field {
 public:
  Field(int nx, int ny) : nx_(nx), ny_(ny), d_(static_cast<size_t>(nx) * ny, 0.0) {}
  double& operator()(int i, int j) { return d_[static_cast<size_t>(j) * nx_ + i]; }
  double operator()(int i, int j) const { return d_[static_cast<size_t>(j) * nx_ + i]; }
  int nx() const { return nx_; }
  int ny() const { return ny_; }
 private:
  int nx_, ny_;
  std::vector<double> d_;
};
class HeatSolver {
 public:
  HeatSolver(int nx, int ny, double alpha) : u_(nx, ny), v_(nx, ny), alpha_(alpha) {}
  void step() {
    for (int j = 1; j < u_.ny() - 1; ++j)
      for (int i = 1; i < u_.nx() - 1; ++i)
        v_(i, j) = u_(i, j) + alpha_ * (u_(i - 1, j) + u_(i + 1, j) + u_(i, j - 1) + u_(i, j + 1) - 4.0 * u_(i, j));
    std::swap(u_, v_);
  }
 private:
  Field u_, v_;
  double alpha_;
};
int main() {
  HeatSolver s(600, 800, 0.1);
  for (int t = 0; t < 10; ++t) s.step();
}
