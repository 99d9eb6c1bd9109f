/* Strong-motion records: response spectra, detection, baselines. */
#include <math.h>
#include <stdio.h>

#define NSAMP 4096
#define NPER 200
#define NTRACE 48
#define NLONG 6000
static const double DT = 0.005;

double ground[NSAMP], period[NPER], sd[NPER], psa[NPER];
double trace[NTRACE][NLONG], levelled[NTRACE][NLONG], ratio[NTRACE];

void spectrum(void)
{
    for (int p = 0; p < NPER; p++) {
        double w = 6.283185307179586 / period[p];
        double k = w * w;
        double c = 0.1 * w;
        double u = 0.0, v = 0.0, peak = 0.0;
        for (int t = 0; t < NSAMP; t++) {
            double a = ground[t] - c * v - k * u;
            v += DT * a;
            u += DT * v;
            peak = fmax(peak, fabs(u));
        }
        sd[p] = peak;
        psa[p] = peak * k;
    }
}

void level(void)
{
#pragma omp parallel for
    for (int n = 0; n < NTRACE; n++) {
        double mean = 0.0;
        for (int t = 0; t < NLONG; t++)
            mean += trace[n][t];
        mean /= NLONG;
        for (int t = 0; t < NLONG; t++)
            levelled[n][t] = trace[n][t] - mean;
    }
}

void sta_lta(void)
{
    const double ks = 0.05, kl = 0.001;
    for (int n = 0; n < NTRACE; n++) {
        double sta = 0.0, lta = 0.0, best = 0.0;
        const double *x = levelled[n];
        for (int t = 0; t < NLONG; t++) {
            double e = x[t] * x[t];
            sta += ks * (e - sta);
            lta += kl * (e - lta);
            double r = sta / (lta + 1e-9);
            if (r > best)
                best = r;
        }
        ratio[n] = best;
    }
}

int main(void)
{
    for (int t = 0; t < NSAMP; t++)
        ground[t] = sin(0.07 * t) * exp(-0.001 * t);
    for (int p = 0; p < NPER; p++)
        period[p] = 0.05 + 0.02 * p;
    for (int n = 0; n < NTRACE; n++)
        for (int t = 0; t < NLONG; t++)
            trace[n][t] = 0.3 + (t > 3000 + n ? 5.0 : 1.0) * cos(0.31 * t + n);
    spectrum();
    level();
    sta_lta();
    printf("%g %g %g %g\n", sd[20], psa[20], levelled[1][1], ratio[5]);
    return 0;
}
