#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NI 300
#define NJ 400
#define WELLS 24
#define DX 25.0
#define DY 25.0

struct well { double x, y, q; };

/* superposed drawdown of all wells, well function by its series */
void drawdown(const struct well *wells, double k, double scale, double *s)
{
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            const double px = j * DX, py = i * DY;
            double sum = 0.0;
            for (const struct well *w = wells; w < wells + WELLS; w++) {
                double dx = px - w->x, dy = py - w->y;
                double u = (dx * dx + dy * dy + 0.04) * k;
                double wu = -0.577216 - log(u) + u * (1.0 - u * (0.25 - u * 0.0555556));
                sum += w->q * wu;
            }
            s[i * NJ + j] = sum * scale;
        }
}

static inline double harmonic(double a, double b) { return 2.0 * a * b / (a + b); }

void head_step(double h[NI][NJ], double T[NI][NJ], double recharge[NI][NJ], double dt_over_s,
               double next[NI][NJ])
{
    for (int i = 1; i < NI - 1; i++)
        for (int j = 1; j < NJ - 1; j++) {
            double c = h[i][j], t = T[i][j];
            double in = harmonic(t, T[i - 1][j]) * (h[i - 1][j] - c)
                      + harmonic(t, T[i + 1][j]) * (h[i + 1][j] - c)
                      + harmonic(t, T[i][j - 1]) * (h[i][j - 1] - c)
                      + harmonic(t, T[i][j + 1]) * (h[i][j + 1] - c);
            next[i][j] = c + dt_over_s * (in + recharge[i][j]);
        }
}

double largest_change(const double *a, const double *b)
{
    double worst = 0.0;
    int n = NI * NJ;
    while (n-- > 0) {
        double d = fabs(a[n] - b[n]);
        if (d > worst) worst = d;
    }
    return worst;
}

static double h[NI][NJ], hn[NI][NJ], T[NI][NJ], R[NI][NJ], s[NI * NJ];

int main(void)
{
    struct well wells[WELLS];
    for (int w = 0; w < WELLS; w++) {
        wells[w].x = 310.0 * w + 7.0;
        wells[w].y = 190.0 * ((w * 7) % 24) + 3.0;
        wells[w].q = w % 3 ? 0.01 : -0.004;
    }
    drawdown(wells, 1e-9, 15.9, s);
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            h[i][j] = hn[i][j] = 50.0 - s[i * NJ + j];
            T[i][j] = 0.01 + 0.0001 * ((i * j) % 17);
            R[i][j] = 1e-8;
        }
    head_step(h, T, R, 5.0, hn);
    printf("%g %g\n", s[NJ + 5], largest_change(&hn[0][0], &h[0][0]));
    return 0;
}
