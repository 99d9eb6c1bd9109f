// Residual checks of many fitted series.
#include <cstddef>
#include <cstdio>
#include <vector>

template <typename T>
struct Table {
    int rows, cols;
    std::vector<T> data;
    Table(int r, int c) : rows(r), cols(c), data(std::size_t(r) * c) {}
    T *operator[](int r) { return data.data() + std::size_t(r) * cols; }
    const T *operator[](int r) const { return data.data() + std::size_t(r) * cols; }
};

constexpr int SERIES = 2000, T = 500, LAGS = 20;

void durbin_watson(const Table<double> &e, std::vector<double> &dw) {
    for (int s = 0; s < SERIES; ++s) {
        const double *r = e[s];
        double num = 0.0, den = r[0] * r[0];
        for (int t = 1; t < T; ++t) {
            const double d = r[t] - r[t - 1];
            num += d * d;
            den += r[t] * r[t];
        }
        dw[s] = num / den;
    }
}

void acf(const Table<double> &e, Table<double> &rho) {
    for (int s = 0; s < SERIES; ++s) {
        const double *r = e[s];
        double mean = 0.0;
        for (int t = 0; t < T; ++t) mean += r[t];
        mean /= T;
        double c0 = 0.0;
        for (int t = 0; t < T; ++t) c0 += (r[t] - mean) * (r[t] - mean);
        for (int k = 1; k <= LAGS; ++k) {
            double ck = 0.0;
            for (int t = k; t < T; ++t) ck += (r[t] - mean) * (r[t - k] - mean);
            rho[s][k - 1] = ck / c0;
        }
    }
}

void ljung_box(const Table<double> &rho, std::vector<double> &q) {
    for (int s = 0; s < SERIES; ++s) {
        double sum = 0.0;
        for (int k = 1; k <= LAGS; ++k) sum += rho[s][k - 1] * rho[s][k - 1] / (T - k);
        q[s] = sum * (T * (T + 2.0));
    }
}

int main() {
    Table<double> e(SERIES, T), rho(SERIES, LAGS);
    std::vector<double> dw(SERIES), q(SERIES);
    unsigned u = 7;
    for (auto &v : e.data) {
        u = u * 1103515245u + 12345u;
        v = (u >> 8) / 16777216.0 - 0.5;
    }
    durbin_watson(e, dw);
    acf(e, rho);
    ljung_box(rho, q);
    std::printf("%g %g %g\n", dw[3], rho[3][0], q[3]);
}
