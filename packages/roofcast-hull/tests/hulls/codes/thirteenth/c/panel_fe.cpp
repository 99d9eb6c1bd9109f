// Balanced panel: within transformation and the middle of a clustered covariance.
#include <cstdio>
#include <vector>

constexpr int FIRMS = 5000, YEARS = 24, K = 6;

struct Panel {
    std::vector<double> x;      // firm, year, regressor
    std::vector<double> resid;  // firm, year
    Panel() : x(FIRMS * YEARS * K), resid(FIRMS * YEARS) {}
    double &X(int i, int t, int k) { return x[(i * YEARS + t) * K + k]; }
    double &e(int i, int t) { return resid[i * YEARS + t]; }
};

void within(Panel &p) {
    for (int i = 0; i < FIRMS; ++i)
        for (int k = 0; k < K; ++k) {
            double mean = 0.0;
            for (int t = 0; t < YEARS; ++t) mean += p.X(i, t, k);
            mean /= YEARS;
            for (int t = 0; t < YEARS; ++t) p.X(i, t, k) -= mean;
        }
}

void cluster_meat(Panel &p, double (&meat)[K][K]) {
    for (auto &row : meat)
        for (double &m : row) m = 0.0;
    for (int i = 0; i < FIRMS; ++i) {
        double score[K] = {};
        for (int t = 0; t < YEARS; ++t)
            for (int k = 0; k < K; ++k) score[k] += p.X(i, t, k) * p.e(i, t);
        for (int k = 0; k < K; ++k)
            for (int l = 0; l < K; ++l) meat[k][l] += score[k] * score[l];
    }
}

int main() {
    Panel p;
    double meat[K][K];
    unsigned s = 99;
    for (double &v : p.x) {
        s = s * 69069u + 1u;
        v = s / 4294967296.0;
    }
    for (double &v : p.resid) {
        s = s * 69069u + 1u;
        v = s / 4294967296.0 - 0.5;
    }
    within(p);
    cluster_meat(p, meat);
    std::printf("%g %g\n", p.X(7, 3, 2), meat[1][1]);
}
