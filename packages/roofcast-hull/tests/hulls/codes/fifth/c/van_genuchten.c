#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <time.h>

/* retention and conductivity of a soil (van Genuchten, Mualem) */

struct soil {
    double alpha, n, theta_r, theta_s, ks;
};

void hydraulic(const double *restrict head, double *restrict theta, double *restrict cond, int cells, struct soil s)
{
    const double m = 1.0 - 1.0 / s.n;
    const double neg_m = -m;
    const double inv_m = 1.0 / m;
    const double range = s.theta_s - s.theta_r;
#pragma omp parallel for simd
    for (int i = 0; i < cells; i++) {
        double h = head[i];
        if (h < 0.0) {
            double se = pow(1.0 + pow(s.alpha * -h, s.n), neg_m);
            double t = 1.0 - pow(1.0 - pow(se, inv_m), m);
            theta[i] = s.theta_r + range * se;
            cond[i] = s.ks * sqrt(se) * t * t;
        } else {
            theta[i] = s.theta_s;
            cond[i] = s.ks;
        }
    }
}

int main(int argc, char **argv)
{
    int cells = argc > 1 ? atoi(argv[1]) : 500000;
    struct soil loam = {3.6, 1.56, 0.078, 0.43, 2.9e-6};
    double *head = malloc(cells * sizeof *head);
    double *theta = malloc(cells * sizeof *theta);
    double *cond = malloc(cells * sizeof *cond);
    for (int i = 0; i < cells; i++) head[i] = -10.0 + 10.5 * i / cells;
    clock_t t = clock();
    hydraulic(head, theta, cond, cells, loam);
    printf("%.3f ms; driest %.4f, wettest %.4f\n", 1e3 * (clock() - t) / CLOCKS_PER_SEC, theta[0], theta[cells - 1]);
    free(head);
    free(theta);
    free(cond);
    return 0;
}
