#include <vector>
#include <numeric>
#include <cmath>
#include <iostream>
#include <algorithm>
double stddev(const std::vector<double>& v) {
  double sum = std::accumulate(v.begin(), v.end(), 0.0);
  double mean = sum / v.size();
  double sq = 0.0;
  for (auto it = v.begin(); it != v.end(); ++it) sq += (*it - mean) * (*it - mean);
  return std::sqrt(sq / (v.size() - 1));
}
int main() {
  std::vector<double> v(1000000);
  std::iota(v.begin(), v.end(), 0.0);
  std::cout << stddev(v) << std::endl;
  return 0;
}
