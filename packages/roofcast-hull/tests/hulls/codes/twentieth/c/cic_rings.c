/* One-dimensional particle-in-cell ring: linear weighting both ways. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NP 400000
#define NG 1024

struct ring {
    float *pos, *vel;      /* positions in cells, 0 <= pos < NG */
    float rho[NG + 1];
    float e[NG + 1];
};

static void deposit(struct ring *r, float q)
{
    for (int g = 0; g <= NG; g++)
        r->rho[g] = 0.0f;
    for (int p = 0; p < NP; p++) {
        int cell = (int)r->pos[p];
        float frac = r->pos[p] - cell;
        r->rho[cell] += q * (1.0f - frac);
        r->rho[cell + 1] += q * frac;
    }
}

static void kick(struct ring *r, float dt)
{
    const float *e = r->e;
    for (int p = 0; p < NP; p++) {
        int cell = (int)r->pos[p];
        float frac = r->pos[p] - cell;
        r->vel[p] += dt * ((1.0f - frac) * e[cell] + frac * e[cell + 1]);
    }
}

static void drift(float *pos, const float *vel, float dt)
{
    for (int p = 0; p < NP; p++) {
        float x = pos[p] + dt * vel[p];
        x = x < 0 ? x + NG : x;
        pos[p] = x >= NG ? x - NG : x;
    }
}

int main(void)
{
    struct ring *r = malloc(sizeof *r);
    r->pos = malloc(NP * sizeof(float));
    r->vel = calloc(NP, sizeof(float));
    for (int p = 0; p < NP; p++)
        r->pos[p] = (float)((double)p * 0.618 - (long)((double)p * 0.618 / NG) * NG) * 0.999f;
    for (int g = 0; g <= NG; g++) r->e[g] = sinf(g * 6.2831853f / NG);
    for (int t = 0; t < 4; t++) {
        deposit(r, 0.01f);
        kick(r, 0.1f);
        drift(r->pos, r->vel, 0.1f);
    }
    printf("%f %f\n", r->rho[10], r->vel[99]);
    return 0;
}
