#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int kPlants = 4096;

template <int N, int M>
void advance_plants(const double (&A)[N][N], const double (&B)[N][M], const double* x, const double* u,
                    double* next) {
    for (int p = 0; p < kPlants; ++p) {
        for (int i = 0; i < N; ++i) {
            double s = 0;
            for (int j = 0; j < N; ++j) s += A[i][j] * x[p * N + j];
            for (int j = 0; j < M; ++j) s += B[i][j] * u[p * M + j];
            next[p * N + i] = s;
        }
    }
}

struct Pid { double kp, ki, kd, integral, previous; };

void pid_bank(Pid* pid, const double* setpoint, const double* measured, double dt, double* out) {
    for (int p = 0; p < kPlants; ++p) {
        Pid& c = pid[p];
        const double e = setpoint[p] - measured[p];
        const double integral = c.integral + e * dt;
        const double d = (e - c.previous) / dt;
        const double raw = c.kp * e + c.ki * integral + c.kd * d;
        const double u = std::min(std::max(raw, -1.0), 1.0);
        c.integral = u != raw ? c.integral : integral;  // no windup
        c.previous = e;
        out[p] = u;
    }
}

double quadratic_cost(const double (&Q)[6][6], double rho, const double* x, const double* u) {
    double cost = 0;
    for (int p = 0; p < kPlants; ++p) {
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j)
                cost += x[p * 6 + i] * Q[i][j] * x[p * 6 + j];
        for (int k = 0; k < 2; ++k)
            cost += rho * u[p * 2 + k] * u[p * 2 + k];
    }
    return cost;
}

int main() {
    double A[6][6], B[6][2], Q[6][6];
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            A[i][j] = i == j ? 0.95 : 0.01 * (j - i);
            Q[i][j] = i == j ? 2.0 : 0.1;
        }
        B[i][0] = 0.1 * i;
        B[i][1] = 0.05;
    }
    std::vector<double> x(kPlants * 6, 0.5), u(kPlants * 2, 0.1), next(kPlants * 6), sp(kPlants, 1.0), y(kPlants), out(kPlants);
    std::vector<Pid> pid(kPlants, Pid{2.0, 0.5, 0.1, 0.0, 0.0});
    for (int p = 0; p < kPlants; ++p) y[p] = 0.0003 * p;
    advance_plants<6, 2>(A, B, x.data(), u.data(), next.data());
    pid_bank(pid.data(), sp.data(), y.data(), 0.01, out.data());
    std::printf("%f %f %f\n", next[5], out[4000], quadratic_cost(Q, 0.1, next.data(), u.data()));
}
