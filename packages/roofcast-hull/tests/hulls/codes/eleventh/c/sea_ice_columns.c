/* Sea ice: implicit conduction in four layers of each column, then the surface budget. */
#include <stdio.h>
#include <stdlib.h>

#define NCOL 20000
#define NL 4

static double temp[NCOL][NL];
static double tsurf[NCOL], sw[NCOL], lw[NCOL], albedo[NCOL], thick[NCOL];

static void conduct(double T[NCOL][NL], const double *top, double r, double tbot)
{
    const double a = -r, b = 1.0 + 2.0 * r;
    #pragma omp parallel for
    for (int c = 0; c < NCOL; c++) {
        double cp[NL], dp[NL], rhs[NL];
        for (int k = 0; k < NL; k++)
            rhs[k] = T[c][k];
        rhs[0] -= a * top[c];
        rhs[NL - 1] -= a * tbot;

        cp[0] = a / b;
        dp[0] = rhs[0] / b;
        for (int k = 1; k < NL; k++) {
            double m = 1.0 / (b - a * cp[k - 1]);
            cp[k] = a * m;
            dp[k] = (rhs[k] - a * dp[k - 1]) * m;
        }
        T[c][NL - 1] = dp[NL - 1];
        for (int k = NL - 2; k >= 0; k--)
            T[c][k] = dp[k] - cp[k] * T[c][k + 1];
    }
}

static void surface_budget(const double *swd, const double *lwd, const double *alb,
                           double *ts, double *h, double dt)
{
    for (int c = 0; c < NCOL; c++) {
        double tk = ts[c] + 273.15;
        double t2 = tk * tk;
        double net = swd[c] * (1.0 - alb[c]) + lwd[c] - 5.67e-8 * (t2 * t2);
        double warmed = ts[c] + net * dt * 1e-6;
        if (warmed > 0.0) {
            h[c] -= net * dt * 3.3e-9;
            warmed = 0.0;
        }
        ts[c] = warmed;
    }
}

int main(void)
{
    for (int c = 0; c < NCOL; c++) {
        for (int k = 0; k < NL; k++)
            temp[c][k] = -2.0 - k - (rand() % 100) * 0.01;
        tsurf[c] = -5.0;
        sw[c] = 100.0 + rand() % 50;
        lw[c] = 240.0;
        albedo[c] = 0.6;
        thick[c] = 1.5;
    }
    conduct(temp, tsurf, 0.4, -1.8);
    surface_budget(sw, lw, albedo, tsurf, thick, 3600.0);
    printf("%f %f\n", temp[7][2], tsurf[7]);
    return 0;
}
