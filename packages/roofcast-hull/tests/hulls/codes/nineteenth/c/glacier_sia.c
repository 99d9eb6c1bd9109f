/* shallow ice, explicit, diffusivity on the corners */
#include <stdio.h>
#define NY 400
#define NX 300
static const double TWODX = 2000.0, RDX2 = 1e-6, GAM = 9.5e-18, DT = 0.05;

double H[NY][NX], B[NY][NX], S[NY][NX], M[NY][NX], D[NY - 1][NX - 1];

void surface(void)
{
#pragma omp parallel for collapse(2)
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++)
            S[j][i] = B[j][i] + H[j][i];
}

void diffusivity(void)
{
#pragma omp parallel for
    for (int j = 0; j < NY - 1; j++)
        for (int i = 0; i < NX - 1; i++) {
            double h = 0.25 * (H[j][i] + H[j][i + 1] + H[j + 1][i] + H[j + 1][i + 1]);
            double sx = (S[j][i + 1] + S[j + 1][i + 1] - S[j][i] - S[j + 1][i]) / TWODX;
            double sy = (S[j + 1][i] + S[j + 1][i + 1] - S[j][i] - S[j][i + 1]) / TWODX;
            double h2 = h * h;
            D[j][i] = GAM * h2 * h2 * h * (sx * sx + sy * sy);
        }
}

void thickness(void)
{
#pragma omp parallel for
    for (int j = 1; j < NY - 1; j++)
        for (int i = 1; i < NX - 1; i++) {
            double de = 0.5 * (D[j][i] + D[j - 1][i]), dw = 0.5 * (D[j][i - 1] + D[j - 1][i - 1]);
            double dn = 0.5 * (D[j][i] + D[j][i - 1]), ds = 0.5 * (D[j - 1][i] + D[j - 1][i - 1]);
            double c = S[j][i];
            double div = de * (S[j][i + 1] - c) - dw * (c - S[j][i - 1])
                       + dn * (S[j + 1][i] - c) - ds * (c - S[j - 1][i]);
            double hn = H[j][i] + DT * (M[j][i] + RDX2 * div);
            H[j][i] = hn > 0 ? hn : 0;
        }
}

int main(void)
{
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            B[j][i] = 1500 - 2.0 * i;
            M[j][i] = 0.003 * (150 - i);
            H[j][i] = 80;
        }
    for (int t = 0; t < 5; t++) {
        surface();
        diffusivity();
        thickness();
    }
    printf("%f\n", H[200][100]);
}
