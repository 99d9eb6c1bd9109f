// Sample covariance of 420 observations of 28 variables, both halves of the matrix filled.
// Checked: compiles, runs; operations counted with a loop in Python.
#include <cstddef>
#include <iostream>
#include <random>
#include <vector>

using Matrix = std::vector<double>;   // row major

const std::size_t OBS = 420;
const std::size_t VARS = 28;

void covariance(const Matrix& x, std::vector<double>& mean, Matrix& cov)
{
    for (std::size_t j = 0; j < VARS; j++) {
        double s = 0.0;
        for (std::size_t i = 0; i < OBS; i++)
            s += x[i * VARS + j];
        mean[j] = s / OBS;
    }

    for (std::size_t a = 0; a < VARS; a++) {
        for (std::size_t b = a; b < VARS; b++) {
            double s = 0.0;
            for (std::size_t i = 0; i < OBS; i++)
                s += (x[i * VARS + a] - mean[a]) * (x[i * VARS + b] - mean[b]);
            s /= OBS - 1;
            cov[a * VARS + b] = s;
            cov[b * VARS + a] = s;
        }
    }
}

int main()
{
    std::mt19937_64 gen(2024);
    std::normal_distribution<double> normal;
    Matrix data(OBS * VARS), cov(VARS * VARS);
    std::vector<double> mean(VARS);
    for (auto& v : data) v = normal(gen);
    covariance(data, mean, cov);
    double trace = 0.0;
    for (std::size_t j = 0; j < VARS; j++) trace += cov[j * VARS + j];
    std::cout << "mean variance " << trace / VARS << std::endl;
    return 0;
}
