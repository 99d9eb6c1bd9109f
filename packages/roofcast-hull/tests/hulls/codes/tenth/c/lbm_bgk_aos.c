/* D2Q9 lattice Boltzmann: BGK collision in place on the populations of every cell (array of
 * structures), and the push-free streaming into a second lattice.
 * Checked: operations of bgk_collide with a self-counting number, full size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NX 512
#define NY 256

typedef struct { float f[9]; } cell_t;

static const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
static const int cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
static const float wt[9] = { 4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36 };

void bgk_collide(cell_t *cells, float omega)
{
    for (int n = 0; n < NX * NY; n++) {
        float *f = cells[n].f;
        float rho = 0.f, ux = 0.f, uy = 0.f;
        rho = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8];
        ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / rho;
        uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / rho;
        float usq = 1.5f * (ux * ux + uy * uy);
        for (int k = 0; k < 9; k++) {
            float cu = 3.f * (cx[k] * ux + cy[k] * uy);
            float feq = wt[k] * rho * (1.f + cu + 0.5f * cu * cu - usq);
            f[k] += omega * (feq - f[k]);
        }
    }
}

void stream_pull(cell_t *restrict dst, const cell_t *restrict src)
{
#pragma omp parallel for collapse(2)
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
            for (int k = 0; k < 9; k++) {
                int xs = (x - cx[k] + NX) % NX;
                int ys = (y - cy[k] + NY) % NY;
                dst[y * NX + x].f[k] = src[ys * NX + xs].f[k];
            }
}

int main(int argc, char **argv)
{
    int iters = argc > 1 ? atoi(argv[1]) : 10;
    cell_t *a = malloc(sizeof(cell_t) * NX * NY), *b = malloc(sizeof(cell_t) * NX * NY);
    if (!a || !b) return 1;
    for (int n = 0; n < NX * NY; n++)
        for (int k = 0; k < 9; k++)
            a[n].f[k] = wt[k] * (1.f + 0.01f * (n % 13));
    for (int it = 0; it < iters; it++) {
        bgk_collide(a, 1.2f);
        stream_pull(b, a);
        cell_t *t = a; a = b; b = t;
    }
    printf("f[100][1] = %f\n", a[100].f[1]);
    free(a); free(b);
    return 0;
}
