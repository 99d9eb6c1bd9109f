// First-order finite volumes for the Euler equations in a tube.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int N = 400000;
constexpr double GAMMA = 1.4, GM1 = 0.4;

struct Cons {
    double rho, mom, ene;
};

static inline double pressure(const Cons &u) { return GM1 * (u.ene - 0.5 * u.mom * u.mom / u.rho); }
static inline double sound(const Cons &u, double p) { return std::sqrt(GAMMA * p / u.rho); }

// face i lies between the cells i - 1 and i
void face_fluxes(const std::vector<Cons> &u, std::vector<Cons> &f) {
    for (int i = 1; i < N; ++i) {
        const Cons l = u[i - 1], r = u[i];
        const double pl = pressure(l), pr = pressure(r);
        const double vl = l.mom / l.rho, vr = r.mom / r.rho;
        const double cl = sound(l, pl), cr = sound(r, pr);
        const double sl = std::min(vl - cl, vr - cr);
        const double sr = std::max(vl + cl, vr + cr);
        const Cons fl{l.mom, l.mom * vl + pl, (l.ene + pl) * vl};
        const Cons fr{r.mom, r.mom * vr + pr, (r.ene + pr) * vr};
        if (sl >= 0.0) {
            f[i] = fl;
        } else if (sr <= 0.0) {
            f[i] = fr;
        } else {
            const double d = 1.0 / (sr - sl), ss = sl * sr;
            f[i].rho = (sr * fl.rho - sl * fr.rho + ss * (r.rho - l.rho)) * d;
            f[i].mom = (sr * fl.mom - sl * fr.mom + ss * (r.mom - l.mom)) * d;
            f[i].ene = (sr * fl.ene - sl * fr.ene + ss * (r.ene - l.ene)) * d;
        }
    }
}

void advance(std::vector<Cons> &u, const std::vector<Cons> &f, double dtdx) {
    for (int i = 1; i < N - 1; ++i) {
        u[i].rho -= dtdx * (f[i + 1].rho - f[i].rho);
        u[i].mom -= dtdx * (f[i + 1].mom - f[i].mom);
        u[i].ene -= dtdx * (f[i + 1].ene - f[i].ene);
    }
}

double fastest(const std::vector<Cons> &u) {
    double s = 0.0;
    for (const Cons &c : u)
        s = std::max(s, std::fabs(c.mom / c.rho) + sound(c, pressure(c)));
    return s;
}

int main() {
    std::vector<Cons> u(N), f(N + 1);
    for (int i = 0; i < N; ++i)
        u[i] = i < N / 2 ? Cons{1.0, 0.0, 2.5} : Cons{0.125, 0.0, 0.25};
    for (int step = 0; step < 5; ++step) {
        const double dtdx = 0.9 / fastest(u);
        face_fluxes(u, f);
        advance(u, f, dtdx);
    }
    std::printf("%g\n", u[N / 2].rho);
}
