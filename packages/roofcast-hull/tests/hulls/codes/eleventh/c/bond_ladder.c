#include <stdio.h>
#include <stdlib.h>

#define NBONDS   4000
#define NPERIODS 60

struct curve {
    double df[NPERIODS];
    double t[NPERIODS];
};

static struct curve zero;
static double cashflow[NBONDS][NPERIODS];
static double clean[NBONDS], macaulay[NBONDS], face[NBONDS];
static double swap_rate[NPERIODS];

/* par swap rates to discount factors, one tenor after another */
void strip_curve(const double *par, double *df, double tau)
{
    double annuity = 0.0;
    for (int n = 0; n < NPERIODS; n++) {
        df[n] = (1.0 - par[n] * annuity) / (1.0 + par[n] * tau);
        annuity += tau * df[n];
    }
}

void price_ladder(const double *df, const double *t)
{
    for (int b = 0; b < NBONDS; b++) {
        double value = 0.0, weighted = 0.0;
        for (int k = 0; k < NPERIODS; k++) {
            double pv = cashflow[b][k] * df[k];
            value += pv;
            weighted += pv * t[k];
        }
        clean[b] = value;
        macaulay[b] = weighted / value;
    }
}

double book_risk(int n)
{
    double risk = 0.0;
    for (int b = 0; b < n; b++)
        risk += face[b] * clean[b] * macaulay[b];
    return risk * 1e-4;
}

int main(void)
{
    for (int k = 0; k < NPERIODS; k++) {
        swap_rate[k] = 0.02 + 0.0003 * k;
        zero.t[k] = 0.5 * (k + 1);
    }
    for (int b = 0; b < NBONDS; b++) {
        int life = 10 + b % 50;
        for (int k = 0; k < NPERIODS; k++)
            cashflow[b][k] = k < life ? 2.5 : k == life ? 102.5 : 0.0;
        face[b] = 1000.0 + b;
    }
    strip_curve(swap_rate, zero.df, 0.5);
    price_ladder(zero.df, zero.t);
    printf("%g\n", book_risk(NBONDS));
    return 0;
}
