/*
 * Inviscid Burgers equation u_t + (u^2/2)_x = 0 on a periodic line,
 * MacCormack's predictor-corrector.  Exercise 4.3 of the course notes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NCELL  (1 << 20)
#define NSTEP  10

static inline double flux(double u) { return 0.5 * u * u; }

void maccormack_step(int n, double c, const double *u, double *up, double *un)
{
    /* predictor: forward difference */
    for (int i = 0; i < n; i++) {
        int ip = (i + 1 == n) ? 0 : i + 1;
        up[i] = u[i] - c * (flux(u[ip]) - flux(u[i]));
    }
    /* corrector: backward difference of the predicted state */
    for (int i = 0; i < n; i++) {
        int im = (i == 0) ? n - 1 : i - 1;
        un[i] = 0.5 * (u[i] + up[i] - c * (flux(up[i]) - flux(up[im])));
    }
}

int main(void)
{
    const double dx = 1.0 / NCELL, dt = 0.4 * dx / 2.0;
    double *u = malloc(NCELL * sizeof(double));
    double *up = malloc(NCELL * sizeof(double));
    double *un = malloc(NCELL * sizeof(double));
    if (!u || !up || !un)
        return 1;

    for (int i = 0; i < NCELL; i++)
        u[i] = 1.0 + 0.5 * sin(2.0 * M_PI * (i + 0.5) * dx);

    for (int s = 0; s < NSTEP; s++) {
        maccormack_step(NCELL, dt / dx, u, up, un);
        double *t = u; u = un; un = t;
    }

    double mass = 0.0;
    for (int i = 0; i < NCELL; i++)
        mass += u[i] * dx;
    printf("mass %.12f\n", mass);
    free(u); free(up); free(un);
    return 0;
}
