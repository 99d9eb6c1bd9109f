/* Triclinic cell: fractional to Cartesian positions, resolution of reflections. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NATOM = 150000, NREFL = 200000 };

typedef union {
    struct { float x, y, z; } p;
    float v[3];
} vec3;

typedef struct { float aa, bb, cc, ab, ac, bc; } recip_metric;

static vec3 frac[NATOM], cart[NATOM];

void orthogonalise(const float O[3][3], const vec3 *restrict f, vec3 *restrict c, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
        float u[3];
        for (int k = 0; k < 3; ++k)
            u[k] = f[i].v[k] - floorf(f[i].v[k]);     /* back into the cell */
        for (int r = 0; r < 3; ++r) {
            float s = 0.0f;
            for (int k = r; k < 3; ++k)
                s += O[r][k] * u[k];
            c[i].v[r] = s;
        }
    }
}

void resolution(recip_metric g, const int8_t *h, const int8_t *k, const int8_t *l, float *d, int n)
{
    for (int i = 0; i < n; ++i) {
        float fh = h[i], fk = k[i], fl = l[i];
        float diag = fh * fh * g.aa + fk * fk * g.bb + fl * fl * g.cc;
        float off = fh * fk * g.ab + fh * fl * g.ac + fk * fl * g.bc;
        d[i] = 1.0f / sqrtf(diag + 2.0f * off);
    }
}

int main(void)
{
    const float O[3][3] = {{42.1f, -3.2f, 5.5f}, {0, 38.7f, 1.9f}, {0, 0, 61.3f}};
    for (int i = 0; i < NATOM; ++i)
        for (int k = 0; k < 3; ++k)
            frac[i].v[k] = (float)((i * (k + 3)) % 977) / 500.0f - 0.7f;
    orthogonalise(O, frac, cart, NATOM);

    int8_t *h = malloc(NREFL), *k = malloc(NREFL), *l = malloc(NREFL);
    float *d = malloc(NREFL * sizeof *d);
    for (int i = 0; i < NREFL; ++i) {
        h[i] = (int8_t)(1 + i % 40);
        k[i] = (int8_t)(i / 40 % 35 - 17);
        l[i] = (int8_t)(i / 1400 % 50);
    }
    recip_metric g = {.aa = 5.7e-4f, .bb = 6.9e-4f, .cc = 2.7e-4f, .ab = 3e-5f, .ac = -4e-5f, .bc = 1e-5f};
    resolution(g, h, k, l, d, NREFL);
    printf("%g %g\n", cart[17].p.y, d[1234]);
    free(h); free(k); free(l); free(d);
    return 0;
}
