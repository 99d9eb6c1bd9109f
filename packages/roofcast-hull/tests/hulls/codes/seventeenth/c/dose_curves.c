/* Plasma concentrations of oral doses by superposition, and an infusion into two compartments. */
#include <math.h>
#include <stdio.h>

enum { PATIENTS = 256, TIMES = 96, DOSES = 8, STEPS = 480 };

typedef double per_patient[PATIENTS];

static per_patient slope_abs, slope_el, volume;   /* slopes are negative, per hour */
static per_patient k10, k12, k21, auc, peak;
static double dose_mg[DOSES], dose_h[DOSES], hours[TIMES];
static double conc[PATIENTS][TIMES];

static void superpose(void)
{
    for (int p = 0; p < PATIENTS; ++p) {
        double scale = slope_abs[p] / (volume[p] * (slope_abs[p] - slope_el[p]));
        for (int t = 0; t < TIMES; ++t) {
            double c = 0.0;
            for (int d = 0; d < DOSES; ++d) {
                double since = hours[t] - dose_h[d];
                if (since <= 0.0)
                    continue;
                c += dose_mg[d] * scale * (exp(slope_el[p] * since) - exp(slope_abs[p] * since));
            }
            conc[p][t] = c;
        }
    }
}

static void infuse(void)
{
    const double h = 0.05;
    for (int p = 0; p < PATIENTS; ++p) {
        double a1 = 0.0, a2 = 0.0, area = 0.0, top = 0.0;
        int s = 0;
        while (s < STEPS) {
            double drip = s < 60 ? 5.0 : 0.0;
            double flow = k12[p] * a1 - k21[p] * a2;
            a1 += h * (drip - k10[p] * a1 - flow);
            a2 += h * flow;
            area += a1 * h;
            top = a1 > top ? a1 : top;
            ++s;
        }
        auc[p] = area;
        peak[p] = top;
    }
}

/* Half-life of absorption for which the peak comes at a wanted time: Newton's rule until it stands. */
static double solve_absorption(double wanted)
{
    double ka = 1.0;
    for (;;) {
        double f = log(ka / 0.12) / (ka - 0.12) - wanted;
        double slope = (1.0 / ka - (f + wanted)) / (ka - 0.12);
        double next = ka - f / slope;
        if (fabs(next - ka) < 1e-9)
            return next;
        ka = next;
    }
}

int main(void)
{
    for (int p = 0; p < PATIENTS; ++p) {
        slope_abs[p] = -1.1 - 0.001 * p;
        slope_el[p] = -0.12 - 0.0003 * p;
        volume[p] = 30.0 + 0.1 * p;
        k10[p] = 0.2 + 0.0005 * p;
        k12[p] = 0.4;
        k21[p] = 0.3 + 0.001 * p;
    }
    for (int d = 0; d < DOSES; ++d) {
        dose_mg[d] = d ? 250.0 : 500.0;
        dose_h[d] = 8.0 * d;
    }
    for (int t = 0; t < TIMES; ++t)
        hours[t] = t;
    superpose();
    infuse();
    printf("%g %g %g %g\n", solve_absorption(2.0), conc[10][50], auc[3], peak[255]);
    return 0;
}
