/* Commutation columns for a set of stressed mortality tables. */
#include <stdio.h>
#include <stdlib.h>

#define TABLES 6000
#define OMEGA  121
#define RADIX  100000.0

/* lives out of RADIX that are left at each age */
static void survivors(const double *qx, double *lx)
{
    for (int t = 0; t < TABLES; t++) {
        const double *q = qx + (size_t)t * OMEGA;
        double *l = lx + (size_t)t * OMEGA;
        l[0] = RADIX;
        for (int x = 1; x < OMEGA; x++)
            l[x] = l[x - 1] * (1.0 - q[x - 1]);
    }
}

/* annuity-due at every age: N_x / D_x, summed from the oldest age down */
static void annuity_due(const double *lx, const double *disc, double *adue)
{
    for (int t = 0; t < TABLES; t++) {
        double nx = 0.0;
        for (int x = OMEGA - 1; x >= 0; x--) {
            double dx = lx[t * OMEGA + x] * disc[x];
            nx += dx;
            adue[t * OMEGA + x] = nx / dx;
        }
    }
}

/* present value of 1 paid at the end of the year of death, issue age 0 */
static void whole_life(const double *lx, const double *disc, double *ax)
{
    for (int t = 0; t < TABLES; t++) {
        const double *l = lx + t * OMEGA;
        double pv = 0.0;
        for (int k = 0; k < OMEGA - 1; k++)
            pv += disc[k + 1] * (l[k] - l[k + 1]);
        ax[t] = pv / l[0];
    }
}

/* yield at which the premiums meet the benefits; stops when it moves no more */
static double solve_yield(const double *flow, int n)
{
    double i = 0.03, step = 1.0;
    while (step > 1e-12 || step < -1e-12) {
        double v = 1.0 / (1.0 + i), pv = 0.0, dpv = 0.0, vk = 1.0;
        for (int k = 0; k < n; k++) {
            pv += flow[k] * vk;
            dpv -= k * flow[k] * vk * v;
            vk *= v;
        }
        step = pv / dpv;
        i -= step;
    }
    return i;
}

int main(void)
{
    double *qx = malloc(sizeof(double) * TABLES * OMEGA);
    double *lx = malloc(sizeof(double) * TABLES * OMEGA);
    double *ad = malloc(sizeof(double) * TABLES * OMEGA);
    double *ax = malloc(sizeof(double) * TABLES);
    double disc[OMEGA], flow[OMEGA];
    disc[0] = 1.0;
    for (int x = 1; x < OMEGA; x++)
        disc[x] = disc[x - 1] / 1.025;
    for (int t = 0; t < TABLES; t++)
        for (int x = 0; x < OMEGA; x++)
            qx[t * OMEGA + x] = 0.0005 + 0.00001 * (t % 50) + 0.4 * x * x * x / (121.0 * 121.0 * 121.0);
    survivors(qx, lx);
    annuity_due(lx, disc, ad);
    whole_life(lx, disc, ax);
    for (int x = 0; x < OMEGA; x++)
        flow[x] = x < 20 ? -1.0 : 0.4;
    printf("%g %g %g\n", ad[35], ax[7], solve_yield(flow, OMEGA));
    free(qx); free(lx); free(ad); free(ax);
    return 0;
}
