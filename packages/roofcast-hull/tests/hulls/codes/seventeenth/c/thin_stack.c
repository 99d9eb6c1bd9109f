/* Reflectance of a stack of dielectric films at normal incidence, by characteristic matrices. */
#include <math.h>
#include <stdio.h>

#define WAVES 8192
#define LAYERS 20
#define N_GLASS 1.52

static double index_of[LAYERS], thick_nm[LAYERS];
static double lambda_nm[WAVES], refl[WAVES];

static void reflectance(void)
{
    for (int w = 0; w < WAVES; ++w) {
        const double k = 6.283185307179586 / lambda_nm[w];
        double a = 1.0, b = 0.0, c = 0.0, d = 1.0;

        for (int l = 0; l < LAYERS; ++l) {
            double phase = k * index_of[l] * thick_nm[l];
            double cs = cos(phase), sn = sin(phase);
            double over = sn / index_of[l];
            double times = sn * index_of[l];
            double na = a * cs - b * times;
            double nb = a * over + b * cs;
            double nc = c * cs + d * times;
            double nd = d * cs - c * over;
            a = na; b = nb; c = nc; d = nd;
        }
        double dn = N_GLASS * d, bn = N_GLASS * b;
        double pr = a - dn, pi = bn - c;
        double qr = a + dn, qi = bn + c;
        refl[w] = (pr * pr + pi * pi) / (qr * qr + qi * qi);
    }
}

static double glare(void)
{
    double sum = 0.0;
    int w = WAVES;
    while (w-- > 0) {
        double q = (lambda_nm[w] - 555.0) / 41.0;
        sum += refl[w] * exp(-0.5 * q * q);
    }
    return sum;
}

int main(void)
{
    for (int l = 0; l < LAYERS; ++l) {
        index_of[l] = (l & 1) ? 1.46 : 2.35;
        thick_nm[l] = 550.0 / (4.0 * index_of[l]);
    }
    for (int w = 0; w < WAVES; ++w)
        lambda_nm[w] = 380.0 + 400.0 * w / WAVES;
    reflectance();
    printf("%g %g\n", refl[WAVES / 2], glare());
    return 0;
}
