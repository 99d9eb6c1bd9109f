/* A power grid in polar form: injections, losses of lines, and a sweep until the voltages settle. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NB 1200
#define NL 200000

typedef struct {
    int *from, *to;
    double *g;
} lines_t;

static void injections(const double *G, const double *B, const double *v, const double *th, double *P, double *Q)
{
    for (int i = 0; i < NB; i++) {
        double p = 0, q = 0;
        for (int k = 0; k < NB; k++) {
            double d = th[i] - th[k];
            double c = cos(d), s = sin(d);
            p += v[k] * (G[i * NB + k] * c + B[i * NB + k] * s);
            q += v[k] * (G[i * NB + k] * s - B[i * NB + k] * c);
        }
        P[i] = v[i] * p;
        Q[i] = v[i] * q;
    }
}

static void line_losses(const lines_t *l, const double *v, const double *th, double *loss)
{
    for (int e = 0; e < NL; e++) {
        int i = l->from[e], j = l->to[e];
        loss[e] = l->g[e] * (v[i] * v[i] + v[j] * v[j] - 2.0 * v[i] * v[j] * cos(th[i] - th[j]));
    }
}

static int settle(const double *B, const double *P, double *th, double tol)
{
    int sweeps = 0;
    double moved;
    do {
        moved = 0;
        for (int i = 1; i < NB; i++) {
            double s = P[i];
            for (int k = 0; k < NB; k++)
                if (k != i)
                    s -= B[i * NB + k] * th[k];
            s /= B[i * NB + i];
            if (fabs(s - th[i]) > moved)
                moved = fabs(s - th[i]);
            th[i] = s;
        }
        sweeps++;
    } while (moved > tol && sweeps < 50);
    return sweeps;
}

int main(void)
{
    double *G = malloc(sizeof(double) * NB * NB), *B = malloc(sizeof(double) * NB * NB);
    double *v = malloc(sizeof(double) * NB), *th = calloc(NB, sizeof(double));
    double *P = malloc(sizeof(double) * NB), *Q = malloc(sizeof(double) * NB);
    double *loss = malloc(sizeof(double) * NL);
    lines_t l = {malloc(sizeof(int) * NL), malloc(sizeof(int) * NL), malloc(sizeof(double) * NL)};
    for (int i = 0; i < NB; i++) {
        v[i] = 1.0 + 0.0001 * (i % 30);
        for (int k = 0; k < NB; k++) {
            G[i * NB + k] = i == k ? 4.0 : -0.001;
            B[i * NB + k] = i == k ? 30.0 : 0.002;
        }
        P[i] = 0.01 * (i % 5);
    }
    int n = settle(B, P, th, 1e-9);
    for (int e = 0; e < NL; e++) {
        l.from[e] = e % NB;
        l.to[e] = (e * 7 + 1) % NB;
        l.g[e] = 1.5;
    }
    injections(G, B, v, th, P, Q);
    line_losses(&l, v, th, loss);
    printf("%d %g %g %g\n", n, P[4], Q[4], loss[9]);
    return 0;
}
