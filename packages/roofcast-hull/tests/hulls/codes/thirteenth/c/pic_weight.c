/* Electrostatic particles in a periodic box: fields to particles, charge to grid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NP (1 << 20)
#define NG 256
#define NQ (NG + 1) /* one more row and column that repeat the first */

typedef struct {
    float *x, *y, *vx, *vy;
} particles_t;

static float ex[NQ][NQ], ey[NQ][NQ], rho[NQ][NQ];

static void kick_and_move(particles_t *p, float qm_dt, float dt)
{
    for (int i = 0; i < NP; i++) {
        int ix = (int)p->x[i], iy = (int)p->y[i];
        float fx = p->x[i] - ix, fy = p->y[i] - iy;
        float gx = 1.0f - fx, gy = 1.0f - fy;
        float w00 = gx * gy, w01 = fx * gy, w10 = gx * fy, w11 = fx * fy;
        float e1 = w00 * ex[iy][ix] + w01 * ex[iy][ix + 1] + w10 * ex[iy + 1][ix] + w11 * ex[iy + 1][ix + 1];
        float e2 = w00 * ey[iy][ix] + w01 * ey[iy][ix + 1] + w10 * ey[iy + 1][ix] + w11 * ey[iy + 1][ix + 1];
        float vx = p->vx[i] + qm_dt * e1;
        float vy = p->vy[i] + qm_dt * e2;
        float x = p->x[i] + vx * dt, y = p->y[i] + vy * dt;
        if (x >= NG) x -= NG;
        if (x < 0) x += NG;
        if (y >= NG) y -= NG;
        if (y < 0) y += NG;
        p->x[i] = x;
        p->y[i] = y;
        p->vx[i] = vx;
        p->vy[i] = vy;
    }
}

static void charge(const particles_t *p, float q)
{
    memset(rho, 0, sizeof rho);
    for (int i = 0; i < NP; i++) {
        int ix = (int)p->x[i], iy = (int)p->y[i];
        float fx = p->x[i] - ix, fy = p->y[i] - iy;
        rho[iy][ix] += q * (1.0f - fx) * (1.0f - fy);
        rho[iy][ix + 1] += q * fx * (1.0f - fy);
        rho[iy + 1][ix] += q * (1.0f - fx) * fy;
        rho[iy + 1][ix + 1] += q * fx * fy;
    }
}

int main(void)
{
    particles_t p;
    p.x = malloc(NP * sizeof(float));
    p.y = malloc(NP * sizeof(float));
    p.vx = calloc(NP, sizeof(float));
    p.vy = calloc(NP, sizeof(float));
    for (int i = 0; i < NP; i++) {
        p.x[i] = (float)(i % 25013) * 0.01f;
        p.y[i] = (float)(i % 10007) * 0.025f;
    }
    for (int j = 0; j < NQ; j++)
        for (int i = 0; i < NQ; i++) {
            ex[j][i] = 0.01f * (i - j);
            ey[j][i] = -0.02f * (i % 16);
        }
    kick_and_move(&p, 0.1f, 0.05f);
    charge(&p, -1.0f);
    printf("%g %g\n", p.vx[77], rho[100][100]);
    return 0;
}
