#include <stdio.h>

/* SEIR for each county by itself, 365 days of Euler steps; only the peak of the infectious and the final recovered are kept. */

#define COUNTIES 3142
#define DAYS 365

static double beta[COUNTIES], seed[COUNTIES];
static double peak[COUNTIES], attack[COUNTIES];

void simulate(double sigma, double gamma)
{
    #pragma omp parallel for schedule(static)
    for (int c = 0; c < COUNTIES; c++) {
        double S = 1.0 - seed[c], E = seed[c], I = 0.0, R = 0.0;
        double top = 0.0;
        const double b = beta[c];
        for (int d = 0; d < DAYS; d++) {
            double inf = b * S * I;
            double onset = sigma * E;
            double rec = gamma * I;
            S -= inf;
            E += inf - onset;
            I += onset - rec;
            R += rec;
            if (I > top) top = I;
        }
        peak[c] = top;
        attack[c] = R;
    }
}

int main(void)
{
    for (int c = 0; c < COUNTIES; c++) {
        beta[c] = 0.25 + 0.0001 * (c % 1500);
        seed[c] = 1e-5;
    }
    simulate(1.0 / 5.2, 1.0 / 7.0);
    printf("county 0: peak %.4f attack %.4f\n", peak[0], attack[0]);
    return 0;
}
